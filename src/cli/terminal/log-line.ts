// One line of the request log for a person: time, status, duration, id, request; and under it what was wrong.
import type { Schemas } from "../../client/control.ts";
import { count, cut, type Style, type Terminal, wrap } from "./terminal.ts";

/** Text of a request moves no cursor and begins no line: control characters, also those of C1 and of direction, are escaped. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** On a terminal of 80 columns everything but the operation has its place, which the path gives away. */
export function logLine(
  logged: Schemas["JournalRequest"],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const { at, status, method, path, operation, duration_ms, id, messages } = logged;
  const took = `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`.padStart(8);
  const head = [paint("dim", at.slice(11, 19)), statusText(status, paint), took, paint("dim", id.padEnd(14))];
  const webhooks = messages.length > 0 ? [paint("dim", count(messages.length, "webhook"))] : [];
  const room = width - 50 - (webhooks.length > 0 ? 14 : 0);
  const named = width >= 120 && operation !== null ? [paint("dim", operation)] : [];
  const line = [
    ...head,
    `${paint("bold", plain(method).padEnd(6))} ${cut(plain(path), room)}`,
    ...named,
    ...webhooks,
  ].join("  ");
  return [line, ...asides(logged, width).map(([style, text]) => `          ${paint(style, text)}`)].join("\n");
}

export function statusText(status: number | null, paint: Terminal["paint"]): string {
  if (status === null) return paint("red", "---");
  return paint(status < 300 ? "green" : status < 400 ? "cyan" : status < 500 ? "yellow" : "red", String(status));
}

function asides({ violations, notes, answer, status }: Schemas["JournalRequest"], width: number): [Style, string][] {
  const body = (answer?.body ?? {}) as { code?: string; message?: string; error?: string; error_description?: string };
  const failed = status !== null && status >= 400 && violations.length === 0;
  const reason = `${body.code ?? body.error ?? ""} ${body.message ?? body.error_description ?? ""}`.trim();
  const wrong = violations.map(({ location, message }) => {
    const place = location.join(".");
    return message.startsWith(place) ? message : `${place}: ${message}`;
  });
  const lines = (style: Style, texts: readonly string[]) =>
    texts.flatMap((text) => wrap(plain(text), width - 10)).map((text): [Style, string] => [style, text]);
  return [
    ...lines("yellow", failed && reason !== "" ? [reason] : []),
    ...lines("yellow", wrong),
    ...lines("dim", notes),
  ];
}
