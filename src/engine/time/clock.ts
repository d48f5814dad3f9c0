// The clock of a world: held at an instant, or running beside real time. The only file that reads the wall clock.
import { fromMillis, type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";

export type WallClock = () => number;

export const wallClock: WallClock = () => Date.now();

/** Milliseconds since some moment, by a clock that nobody sets. */
export const monotonicClock = (): number => performance.now();

/** Real time that never goes back: when the machine's clock is set back, it goes on from where it was. */
export function steady(wall: WallClock): WallClock {
  let [last, ahead] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    const now = wall() + ahead;
    if (now < last) ahead += last - now;
    last = Math.max(last, now);
    return last;
  };
}

/** A running clock never goes back, even when the wall clock was set back while the sandbox did not run. */
export function getNow(clock: ClockRecord | undefined, wall: WallClock): Instant {
  if (!clock) return fromMillis(wall());
  if (clock.mode === "held") return clock.at;
  const current = fromMillis(wall() + clock.offset_ms);
  return current > clock.at ? current : clock.at;
}

/** The record of a running clock after a commit at this instant, so that the clock never goes back behind it. */
export function reach(clock: ClockRecord | undefined, now: Instant): ClockRecord | undefined {
  return clock?.mode === "running" && clock.at < now ? { ...clock, at: now } : undefined;
}

export function hold(at: Instant): ClockRecord {
  return { id: "clock", mode: "held", at };
}

export function run(at: Instant, wall: WallClock): ClockRecord {
  return { id: "clock", mode: "running", offset_ms: toMillis(at) - wall(), at };
}

/** The clock's record at an instant of a move; a running clock that is moved ahead runs on from there. */
export function moveTo(clock: ClockRecord, at: Instant, wall: WallClock): ClockRecord {
  if (clock.mode === "held") return hold(at);
  return { ...clock, at, offset_ms: Math.max(clock.offset_ms, toMillis(at) - wall()) };
}
