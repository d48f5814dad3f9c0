// When a delivery that failed is tried again: each wait counts from the end of the attempt before it, on the world's clock; then it
// is given up. Assumption: delivery-retry. A receiver's Retry-After is a time it asks for, so it is not made faster.
import type { Instant } from "../domain/kernel/instant.ts";
import { fromMillis, toMillis } from "../domain/kernel/instant.ts";

export type Speed = "standard" | "fast";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const LONGEST = 365 * 24 * HOUR;

/** The instant after so many failed tries; undefined when it is given up. */
export function nextTry(tries: number, now: Instant, speed: Speed, retryAfter = 0): Instant | undefined {
  const wait = WAITS[tries - 1];
  if (wait === undefined) return undefined;
  return fromMillis(toMillis(now) + Math.max(speed === "fast" ? wait / 100 : wait, retryAfter));
}

/** Milliseconds that a Retry-After asks for: seconds, or an HTTP date against the wall clock; undefined when it says nothing. */
export function readRetryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const said = text.trim();
  const wait = /^\d+$/.test(said)
    ? Number(said) * SECOND
    : /^[A-Za-z]+, .*GMT$/.test(said)
      ? Date.parse(said) - wall
      : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST);
}
