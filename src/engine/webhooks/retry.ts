// Computes the retry schedule. Each delay starts at the end of the previous attempt, on the world's clock. After the last attempt the
// delivery is given up. `--retry fast` does not shorten a receiver's Retry-After. Assumption: delivery-retry.
import type { Instant } from "../domain/kernel/instant.ts";
import { fromMillis, toMillis } from "../domain/kernel/instant.ts";

export type RetrySpeed = "standard" | "fast";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DELAYS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const MAX_WAIT_MS = 365 * 24 * HOUR;

/** Returns when to retry after this number of failed attempts; undefined if the delivery must be given up. */
export function findNextAttempt(tries: number, now: Instant, speed: RetrySpeed, retryAfter = 0): Instant | undefined {
  const wait = DELAYS_MS[tries - 1];
  if (wait === undefined) return undefined;
  return fromMillis(toMillis(now) + Math.max(speed === "fast" ? wait / 100 : wait, retryAfter));
}

/** Parses a Retry-After header into milliseconds; an HTTP date is relative to the wall clock. Returns undefined for an invalid value. */
export function parseRetryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim();
  const wait = /^\d+$/.test(value)
    ? Number(value) * SECOND
    : /^[A-Za-z]+, .*GMT$/.test(value)
      ? Date.parse(value) - wall
      : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}
