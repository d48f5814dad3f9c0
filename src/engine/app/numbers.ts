// The numbers of a data file and of a node: they are reserved in blocks, so that a number never names another entry later, or on another
// node.
import { type NumberBlock, type NumberBlocks, StoreError } from "../world/store/store.ts";

export type Numbers = ReturnType<typeof makeNumbers>;

/** What stays of a block when the next one is reserved, and how many numbers later that is tried again. */
const [AHEAD, AGAIN] = [50_000, 1000];

/** `begun` is a block that was reserved at the start, so that the first number need not wait. */
export function makeNumbers({ begun, next: reserve, shared }: Pick<NumberBlocks, "begun" | "next" | "shared">) {
  const blocks: NumberBlock[] = [begun];
  let current = begun;
  let spare: NumberBlock | undefined;
  let isRequested = false;
  const requestBlock = () => {
    isRequested = true;
    reserve()
      .then((block) => {
        spare = block;
      })
      // Requested again a little later. Only a sandbox that has used all its numbers notices.
      .catch(() => undefined)
      .finally(() => {
        isRequested = false;
      });
  };
  return {
    /** The number before the first one. */
    start: begun.first - 1,
    numberAfter(seq: number): number {
      if (seq === current.last) {
        // Rather an error than a number that another node gives too.
        if (!spare) throw new StoreError("The database does not answer. Send the request again.");
        current = spare;
        blocks.push(current);
        spare = undefined;
        return current.first;
      }
      // Early enough: a block is reserved while many numbers are left.
      if (current.last - seq < AHEAD && seq % AGAIN === 0 && !spare && !isRequested) requestBlock();
      return seq + 1;
    },
    /** Whether this run has the number in one of its blocks. */
    isOwn: (number: number): boolean => blocks.some((block) => number >= block.first && number <= block.last),
    shared,
  };
}
