// Reads the parameters `from`, `to` and `sort` of lists.

import { reject } from "../domain/kernel/domain-error.ts";
import { isFinerThanMillis, readInstant, roundUp } from "../domain/kernel/instant.ts";

export interface TimeRange {
  /** Bounds for an index over instants. `until` is exclusive. */
  from: string;
  until: string;
  holds(instant: string): boolean;
}

/** Reads a span: `from` is inclusive (exclusive on request), `to` is exclusive. */
export function readSpan(query: { from?: string; to?: string }, exclusive = false): TimeRange {
  const from = check(query.from, "query.from") ?? "";
  const until = check(query.to, "query.to") ?? "\uffff";
  // The bound sorts just above the instant as text, and below the next one.
  const start = exclusive && from !== "" && !isFinerThanMillis(query.from ?? "") ? `${from}\u0001` : from;
  return { from: start, until, holds: (instant) => instant >= start && instant < until };
}

function check(text: string | undefined, path: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  const instant =
    readInstant(text) ??
    reject("INVALID_INPUT", { path, what: `${text} is not an instant. Write it as 2030-06-01T09:00:00Z.` });
  return roundUp(instant, text);
}

/** Reads the order. The default is newest first. A minus means descending; no sign means ascending. */
export function readOrder(sort = "-created_at"): { by: "created_at" | "updated_at"; descending: boolean } {
  const by = sort.replace(/^[+-]/, "") === "updated_at" ? "updated_at" : "created_at";
  return { by, descending: sort.startsWith("-") };
}
