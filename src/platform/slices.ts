// Runs long work in slices of time, so that requests are served in between. Time is measured instead of steps, because one
// record may be a hundred times as long as another.
import { setImmediate as turn } from "node:timers/promises";

/** The length is short for a person, and long compared with a turn of the event loop. */
const SLICE_MS = 10;

/** Measures before each step whether other work should get a turn. */
export class Slice {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Gives other work a turn; then the next slice begins. */
  async pause(): Promise<void> {
    await turn();
    this.#began = performance.now();
  }
}

/** Runs all steps of some work, each of them short. */
export async function runSliced<T>(work: Iterator<unknown, T>): Promise<T> {
  const slice = new Slice();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slice.isOver) await slice.pause();
  }
}
