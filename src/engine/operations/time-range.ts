// What lists of things made at an instant have in common: `from`, `to` and `sort`.

import { reject } from "../domain/kernel/domain-error.ts";
import { isFinerThanMillis, readInstant, roundUp } from "../domain/kernel/instant.ts";

export interface TimeRange {
  /** Bounds for an index over instants; `until` is exclusive. */
  from: string;
  until: string;
  holds(instant: string): boolean;
}

/** `from` inclusive (exclusive on request), `to` exclusive. */
export function readSpan(query: { from?: string; to?: string }, exclusive = false): TimeRange {
  const from = check(query.from, "query.from") ?? "";
  const until = check(query.to, "query.to") ?? "\uffff";
  // Just above the instant as text, and below the next.
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

/** Newest first without a choice; the sign says the direction, and none means ascending. */
export function readOrder(sort = "-created_at"): { by: "created_at" | "updated_at"; descending: boolean } {
  const by = sort.replace(/^[+-]/, "") === "updated_at" ? "updated_at" : "created_at";
  return { by, descending: sort.startsWith("-") };
}
