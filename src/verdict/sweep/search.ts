// The search for the answers that make a program fail: all at once, then halves of them, several runs at a time.
import type { Observed } from "../observed.ts";
import { type FailedTest, failedTests } from "./failed-tests.ts";

export interface Flip {
  id: string;
  default: string;
  value: string;
  meaning: string;
  /** The operations that it changes, where the specification tells. */
  operations: readonly string[] | undefined;
}

export interface Dependence {
  /** One, or several that only together make it fail. */
  flips: readonly Flip[];
  tests: readonly FailedTest[];
  /** How the program ended. */
  ended: string;
}

type Ran = Pick<Observed, "ended">;

/** At most `jobs` runs at once, however the search branches. */
export class Search {
  readonly found: Dependence[] = [];
  runs = 0;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(
    readonly runWith: (flips: readonly Flip[]) => Promise<Ran>,
    jobs: number,
    readonly report: (says: string) => void,
  ) {
    this.#free = jobs;
  }

  /** Whether the program fails with these; those that make it so are kept. */
  async among(flips: readonly Flip[]): Promise<boolean> {
    if (flips.length === 0) return false;
    const observed = await this.#run(flips);
    if (isGreen(observed)) return false;
    if (flips.length === 1) return this.#keep(flips, observed);
    const middle = Math.ceil(flips.length / 2);
    const halves = await Promise.all([this.among(flips.slice(0, middle)), this.among(flips.slice(middle))]);
    // What fails in a half is found there; a second cause in the other half as well.
    if (halves.includes(true)) return true;
    // Neither half fails alone, so some of both are needed together.
    const few = await this.#fewest([], flips, false);
    return this.#keep(few, few.length === flips.length ? observed : await this.#run(few));
  }

  /** Of answers that fail only together, with those that are given, the few that are needed (QuickXplain). */
  async #fewest(given: readonly Flip[], flips: readonly Flip[], hasMore: boolean): Promise<readonly Flip[]> {
    if (hasMore && !isGreen(await this.#run(given))) return [];
    if (flips.length === 1) return flips;
    const middle = Math.ceil(flips.length / 2);
    const [first, second] = [flips.slice(0, middle), flips.slice(middle)];
    const ofSecond = await this.#fewest([...given, ...first], second, true);
    const ofFirst = await this.#fewest([...given, ...ofSecond], first, ofSecond.length > 0);
    return [...ofFirst, ...ofSecond];
  }

  #keep(flips: readonly Flip[], { ended }: Ran): true {
    const how = ended.stopped === "too-long" ? "it did not end in time" : `it ended with exit code ${ended.code}`;
    this.found.push({ flips, tests: failedTests(ended.output), ended: how });
    return true;
  }

  async #run(flips: readonly Flip[]): Promise<Ran> {
    // A loop: somebody else may have taken the place before this one wakes.
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#free--;
    this.runs++;
    this.report(flips.length === 1 ? `${flips[0]?.id}=${flips[0]?.value}` : `${flips.length} other answers at once`);
    try {
      return await this.runWith(flips);
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }
}

const isGreen = ({ ended }: Ran): boolean => ended.stopped === "served" || ended.code === 0;
