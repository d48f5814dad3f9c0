// One request of the journal as a person reads it: when, what was answered, what was asked, how long, and under it what was wrong.
import { cut, type Terminal } from "./terminal.ts";

export interface Logged {
  id: string;
  at: string;
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  duration_ms: number;
  violations: readonly { location: readonly (string | number)[]; message: string }[];
  notes: readonly string[];
  answer: { body: unknown } | null;
  messages: readonly string[];
}

export function logLine(logged: Logged, { paint, width }: Pick<Terminal, "paint" | "width">): string {
  const { at, status, method, path, operation, duration_ms, id, messages } = logged;
  const told = messages.length > 0 ? `  ${messages.length} webhook${messages.length === 1 ? "" : "s"}` : "";
  const took = `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`.padStart(8);
  const head = `${paint("dim", at.slice(11, 19))}  ${statusText(status, paint)}  ${took}  ${paint("bold", (operation ?? "–").padEnd(22))}`;
  const line = `${method} ${path}`;
  const rest = `${" ".repeat(10)}${cut(line, width - 12)}  ${paint("dim", id)}${told}`;
  return [
    `${head}${width >= 120 ? `  ${cut(line, width - 75)}  ${paint("dim", id)}${told}` : ""}`,
    ...(width >= 120 ? [] : [rest]),
    ...asides(logged, paint),
  ].join("\n");
}

export function statusText(status: number | null, paint: Terminal["paint"]): string {
  if (status === null) return paint("red", "---");
  return paint(status < 300 ? "green" : status < 400 ? "cyan" : status < 500 ? "yellow" : "red", String(status));
}

function asides({ violations, notes, answer, status }: Logged, paint: Terminal["paint"]): string[] {
  const body = answer?.body as
    | { code?: string; message?: string; error?: string; error_description?: string }
    | null
    | undefined;
  const failed = status !== null && status >= 400 && violations.length === 0;
  const reason = failed
    ? [`${body?.code ?? body?.error ?? ""} ${body?.message ?? body?.error_description ?? ""}`.trim()]
    : [];
  const wrong = violations.map(({ location, message }) => `${location.join(".")}: ${message}`);
  const lines = [...reason, ...wrong].filter((line) => line !== "").map((line) => paint("yellow", line));
  return [...lines, ...notes.map((note) => paint("dim", note))].map((line) => `          ${line}`);
}
