// The numbers of entries on a node: they are reserved in blocks, so that no other node gives the same number.
import { StoreError } from "../../engine/log/store-error.ts";

/** All numbers from `first` to `last`. */
interface NumberBlock {
  first: number;
  last: number;
}

const BLOCK = 100_000;
/** What stays of a block when the next one is reserved, and how many numbers later that is tried again. */
const [AHEAD, AGAIN] = [50_000, 1000];

/** `reserve` returns an index that no node gets twice. */
export async function createNodeNumbers(reserve: () => Promise<number>) {
  const reserveBlock = async (): Promise<NumberBlock> => {
    const first = (await reserve()) * BLOCK;
    return { first, last: first + BLOCK - 1 };
  };
  // Reserved at the start, so that the first number need not wait.
  const begun = await reserveBlock();
  const blocks: NumberBlock[] = [begun];
  let current = begun;
  let spare: NumberBlock | undefined;
  let isRequested = false;
  const requestBlock = () => {
    isRequested = true;
    reserveBlock()
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
  };
}
