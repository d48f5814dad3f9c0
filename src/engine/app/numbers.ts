// The numbers in the one order of everything that happens here: commits, requests, acts, moves of clocks, attempts. They are given from
// blocks that were reserved, so that a number never names another moment later, or on another node.
import { type NumberBlock, type NumberBlocks, StoreError } from "../world/store/store.ts";

export type Numbers = ReturnType<typeof makeNumbers>;

/** What stays of a block when the next one is reserved, and how many numbers later that is tried again. */
const [AHEAD, AGAIN] = [50_000, 1000];

/** `begun` is a block that was reserved at the start, so that the first number need not wait. */
export function makeNumbers({ begun, next: reserve, shared }: Pick<NumberBlocks, "begun" | "next" | "shared">) {
  const blocks: NumberBlock[] = [begun];
  let { first, last } = begun;
  let latest = first - 1;
  let spare: NumberBlock | undefined;
  let isRequested = false;
  const ask = () => {
    isRequested = true;
    reserve()
      .then((block) => {
        spare = block;
      })
      // Asked again a little later; only where all numbers are used up does anybody notice.
      .catch(() => undefined)
      .finally(() => {
        isRequested = false;
      });
  };
  const turn = () => {
    // Rather an error than a number that another node gives too.
    if (!spare) throw new StoreError("The database does not answer. Send the request again.");
    ({ first, last } = spare);
    blocks.push(spare);
    spare = undefined;
    latest = first - 1;
  };
  return {
    next(): number {
      if (latest === last) turn();
      latest++;
      // Early enough: a block is reserved while many numbers are left.
      if (last - latest < AHEAD && latest % AGAIN === 0 && !spare && !isRequested) ask();
      return latest;
    },
    get latest(): number {
      return latest;
    },
    /** Whether this run gave it. */
    isGiven: (number: number): boolean =>
      number <= latest && blocks.some((block) => number >= block.first && number <= block.last),
    shared,
  };
}
