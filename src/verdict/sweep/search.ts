// Searches for the values that make a program fail: all at once, then halves of them, with several runs in parallel.
import type { Observed } from "../observed.ts";
import { type FailedTest, findFailedTests } from "./failed-tests.ts";

export interface Flip {
  id: string;
  default: string;
  value: string;
  meaning: string;
  /** The operations that the value changes, if the specification lists them. */
  operations: readonly string[] | undefined;
}

export interface Dependence {
  /** A value, or several that make the program fail only together. */
  flips: readonly Flip[];
  tests: readonly FailedTest[];
  ended: string;
}

type EndedRun = Pick<Observed, "ended">;

/** The search branches, but at most `jobs` runs are active. */
export class Search {
  readonly found: Dependence[] = [];
  runs = 0;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(
    readonly runWith: (flips: readonly Flip[]) => Promise<EndedRun>,
    jobs: number,
    readonly report: (says: string) => void,
  ) {
    this.#free = jobs;
  }

  /** Returns true if the program fails with these values. The decisive values are added to `found`. */
  async searchAmong(flips: readonly Flip[]): Promise<boolean> {
    if (flips.length === 0) return false;
    const observed = await this.#run(flips);
    if (isGreen(observed)) return false;
    if (flips.length === 1) return this.#keep(flips, observed);
    const middle = Math.ceil(flips.length / 2);
    const halves = await Promise.all([this.searchAmong(flips.slice(0, middle)), this.searchAmong(flips.slice(middle))]);
    // The recursive calls have already found the cause in each failing half.
    if (halves.includes(true)) return true;
    // Neither half fails alone, so values of both halves are needed together.
    const few = await this.#fewest([], flips, false);
    return this.#keep(few, few.length === flips.length ? observed : await this.#run(few));
  }

  /** Finds the smallest set of `flips` that fails together with `given` (QuickXplain). */
  async #fewest(given: readonly Flip[], flips: readonly Flip[], hasMore: boolean): Promise<readonly Flip[]> {
    if (hasMore && !isGreen(await this.#run(given))) return [];
    if (flips.length === 1) return flips;
    const middle = Math.ceil(flips.length / 2);
    const [first, second] = [flips.slice(0, middle), flips.slice(middle)];
    const ofSecond = await this.#fewest([...given, ...first], second, true);
    const ofFirst = await this.#fewest([...given, ...ofSecond], first, ofSecond.length > 0);
    return [...ofFirst, ...ofSecond];
  }

  #keep(flips: readonly Flip[], { ended }: EndedRun): true {
    const how = ended.stopped === "too-long" ? "it did not end in time" : `it ended with exit code ${ended.code}`;
    this.found.push({ flips, tests: findFailedTests(ended.output), ended: how });
    return true;
  }

  async #run(flips: readonly Flip[]): Promise<EndedRun> {
    // Another run may take the free place before this one wakes, so the condition is checked in a loop.
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#free--;
    this.runs++;
    this.report(flips.length === 1 ? `${flips[0]?.id}=${flips[0]?.value}` : `${flips.length} other values at once`);
    try {
      return await this.runWith(flips);
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }
}

const isGreen = ({ ended }: EndedRun): boolean => ended.stopped === "served" || ended.code === 0;
