// Provides the clock of a world: held at an instant, or running in parallel with real time. No other file reads the wall
// clock.
import { fromMillis, type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";

export type WallClock = () => number;

export const wallClock: WallClock = () => Date.now();

/** Returns milliseconds since an arbitrary point in time, by a clock that is never set. */
export const monotonicClock = (): number => performance.now();

/** Returns real time that never goes back: when the machine's clock is set back, it continues from its last value. */
export function steady(wall: WallClock): WallClock {
  let [last, ahead] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    const now = wall() + ahead;
    if (now < last) ahead += last - now;
    last = Math.max(last, now);
    return last;
  };
}

/**
 * Returns the time of a world. A running clock never goes back, even if the wall clock was set back while the
 * sandbox was stopped.
 */
export function getNow(clock: ClockRecord | undefined, wall: WallClock): Instant {
  if (!clock) return fromMillis(wall());
  if (clock.mode === "held") return clock.at;
  const current = fromMillis(wall() + clock.offset_ms);
  return current > clock.at ? current : clock.at;
}

/** Returns the record of a running clock after a commit at this instant, so that the clock never goes back before it. */
export function reach(clock: ClockRecord | undefined, now: Instant): ClockRecord | undefined {
  return clock?.mode === "running" && clock.at < now ? { ...clock, at: now } : undefined;
}

export function hold(at: Instant): ClockRecord {
  return { id: "clock", mode: "held", at };
}

export function run(at: Instant, wall: WallClock): ClockRecord {
  return { id: "clock", mode: "running", offset_ms: toMillis(at) - wall(), at };
}

/** Returns the clock's record at an instant of a move. A running clock that is moved ahead continues from there. */
export function moveTo(clock: ClockRecord, at: Instant, wall: WallClock): ClockRecord {
  if (clock.mode === "held") return hold(at);
  return { ...clock, at, offset_ms: Math.max(clock.offset_ms, toMillis(at) - wall()) };
}
