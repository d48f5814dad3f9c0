// The clock of a world: held at an instant, or running beside real time. The only file that reads the wall clock.
import { fromMillis, type Instant, toMillis } from "../domain/instant.ts";
import type { ClockRecord } from "../domain/records.ts";

export type WallClock = () => number;

export const wallClock: WallClock = () => Date.now();

/** A running clock never goes back, even when the wall clock is set back. */
export function nowOf(clock: ClockRecord | undefined, wall: WallClock): Instant {
  if (!clock) return fromMillis(wall());
  if (clock.mode === "held") return clock.at;
  const shown = fromMillis(wall() + clock.offset_ms);
  return shown > clock.at ? shown : clock.at;
}

export function held(at: Instant): ClockRecord {
  return { id: "clock", mode: "held", at };
}

export function running(at: Instant, wall: WallClock): ClockRecord {
  return { id: "clock", mode: "running", offset_ms: toMillis(at) - wall(), at };
}
