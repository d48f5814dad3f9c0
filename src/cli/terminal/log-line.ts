// A request of the log for a person, in one line; `sandbox logs` and `sandbox start` print the same.
import type { Schemas } from "../../client/control.ts";
import { type Cell, joined, type Look, plain, statusCell, timeCell, tookCell, worldCell } from "./line.ts";
import { count, cut, type Style, widthOf, wrap } from "./terminal.ts";

export interface RequestLine
  extends Pick<Schemas["JournalRequest"], "at" | "status" | "duration_ms" | "id" | "method" | "path" | "operation"> {
  webhooks: number;
  /** Why it was refused; empty where the line is not to say it. */
  reason: string;
  world?: string;
}

/** A request of the log, and under it all that was wrong. */
export function logLine(logged: Schemas["JournalRequest"], look: Look): string {
  const line = requestLine({ ...logged, webhooks: logged.messages.length, reason: "" }, look);
  return [line, ...asides(logged, look.width).map(([style, text]) => `          ${look.paint(style, text)}`)].join(
    "\n",
  );
}

/** On 80 columns everything but the operation has its place; a narrower terminal lacks the duration and the id. A reason needs room. */
export function requestLine(line: RequestLine, look: Look): string {
  const { width } = look;
  const { at, status, duration_ms, id, method, path, operation, webhooks, reason, world } = line;
  const rest: Cell[] = [
    ...(width >= 120 && operation !== null && reason === "" ? [[operation, "dim"] as const] : []),
    ...(webhooks > 0 ? [[count(webhooks, "webhook"), "dim"] as const] : []),
    ...worldCell(world),
  ];
  const head: Cell[] = [
    timeCell(at),
    statusCell(status),
    ...(width >= (reason === "" ? 80 : 100) ? [tookCell(duration_ms)] : []),
    ...(width >= 70 ? [[id.padEnd(14), "dim"] as const] : []),
    [plain(method).padEnd(5), "bold"],
  ];
  const taken = [...head, ...rest].reduce((sum, [text]) => sum + widthOf(text) + 2, 0);
  const room = Math.max(10, width - taken);
  const shown = cut(plain(path), reason === "" ? room : Math.max(10, Math.floor(room * 0.45)));
  const why: Cell[] = reason === "" ? [] : [[cut(plain(reason), Math.max(1, room - widthOf(shown) - 2)), "yellow"]];
  return joined([...head, [shown], ...why, ...rest], look);
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
