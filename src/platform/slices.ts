// Long work in slices of time, so that requests are answered between two: by time and not by count, since one record may be a hundred
// times as long as another.
import { setImmediate as turn } from "node:timers/promises";

/** Short beside what a person notices, long beside what a turn of the event loop costs. */
const SLICE_MS = 10;

type Now = () => number;

/** Asks the clock before each step whether it is time to give others a turn. */
export class Slice {
  readonly #now: Now;
  #began: number;

  constructor(now: Now = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  get isOver(): boolean {
    return this.#now() - this.#began >= SLICE_MS;
  }

  begin(): void {
    this.#began = this.#now();
  }

  /** Others have a turn; then the next slice begins. */
  async pause(): Promise<void> {
    await turn();
    this.begin();
  }
}

/** All steps of some work, each of them short. */
export async function runSliced<T>(work: Iterator<unknown, T>, now?: Now): Promise<T> {
  const slice = new Slice(now);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slice.isOver) await slice.pause();
  }
}
