// Carries out the plan of a soak, day by day, and lets the program come to rest now and then.
import { setTimeout as pause } from "node:timers/promises";
import { Doer, type DoerDeps, type Performed } from "./doer.ts";
import { DAY, type Step } from "./step.ts";

interface Performing extends DoerDeps {
  days: number;
  /** The longest that a day takes, in real milliseconds, beside what is done in it. */
  dayMs: number;
  /** Whether to end where it is. */
  isOver(): boolean;
  dayDone(day: number): Promise<void>;
}

/** The program rests when nothing has come for so long. */
const QUIET_MS = 60;
/** A program gets to breathe several times a day, as between rushes. */
const RESTS_A_DAY = 4;
/** Steps are in the order of their instants. Ends early where `isOver` says so. */
export async function performAll(steps: readonly Step[], performing: Performing): Promise<Performed> {
  const { began, days, isOver, dayDone } = performing;
  const doer = new Doer(performing);
  const rest = DAY / RESTS_A_DAY;
  let next = 0;
  for (let at = rest; at <= days * DAY; at += rest) {
    for (; (steps[next]?.at ?? Number.POSITIVE_INFINITY) < at; next++) {
      if (isOver()) return doer.performed;
      await doer.does(steps[next] as Step);
    }
    await doer.advance(began + at);
    await atRest(performing, performing.dayMs / RESTS_A_DAY);
    if (isOver()) return doer.performed;
    if (at % DAY === 0) await dayDone(at / DAY);
  }
  return doer.performed;
}

/** Until the program is quiet, or as long as it may take. */
export async function atRest(
  { watched, isOver }: Pick<Performing, "watched" | "isOver">,
  mostMs: number,
): Promise<void> {
  const until = performance.now() + mostMs;
  const from = performance.now();
  // At least once through the quiet time: what was just sent may not have arrived.
  do await pause(QUIET_MS / 3);
  while (
    !isOver() &&
    performance.now() < until &&
    (watched.quietFor() < QUIET_MS || performance.now() - from < QUIET_MS)
  );
}
