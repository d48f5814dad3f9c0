// Reads a requested window of time, from inclusive to exclusive. A local date-time is read in each session's own zone; a
// date-time with an offset is an instant. Assumptions: event-query, event-window-format, local-time.

import { reject } from "../kernel/domain-error.ts";
import { fromLocal, type Instant, isLocal, readInstant, roundUp } from "../kernel/instant.ts";

export interface Window {
  /** Whether the session starts within the window. */
  holds(session: { starts_at: Instant; timezone: string }): boolean;
  /** Bounds in UTC; no start within the window is outside of them. */
  readonly earliest: Instant | undefined;
  readonly latest: Instant | undefined;
}

/** All time zones lie between these two, 14 hours ahead of and 12 hours behind UTC. */
const [FIRST_ZONE, LAST_ZONE] = ["Etc/GMT-14", "Etc/GMT+12"] as const;

export function readWindow(from: string | undefined, to: string | undefined, path: string): Window {
  const start = readBound(from, `${path}.from`);
  const end = readBound(to, `${path}.to`);
  return {
    holds: ({ starts_at, timezone }) =>
      (start === undefined || starts_at >= start(timezone)) && (end === undefined || starts_at < end(timezone)),
    earliest: start?.(FIRST_ZONE),
    latest: end?.(LAST_ZONE),
  };
}

function readBound(text: string | undefined, path: string): ((zone: string) => Instant) | undefined {
  if (text === undefined || text === "") return undefined;
  const instant = isLocal(text) ? undefined : readInstant(text);
  if (instant !== undefined) {
    const bound = roundUp(instant, text);
    return () => bound;
  }
  if (!isLocal(text))
    return reject("INVALID_INPUT", { path, what: `${text} is not a date of the calendar. Check the day.` });
  const known = new Map<string, Instant>();
  return (zone) => {
    const seen = known.get(zone) ?? roundUp(fromLocal(text, zone), text);
    known.set(zone, seen);
    return seen;
  };
}
