// Minimizes a list by delta debugging (Zeller and Hildebrandt 2002, ddmin by complements), so that no single item can be removed without
// losing the failure. Several candidates are tested in parallel; the first in order counts, so that runs are reproducible.

interface Trials<T> {
  /** Returns the remaining items, which may be fewer, if the failure is reproduced; undefined if not. */
  test(items: readonly T[]): Promise<readonly T[] | undefined>;
  /** The number of parallel tests. */
  parallel: number;
  /** Returns whether to stop. */
  isOver(): boolean;
}

/** Returns `items` if no item can be removed. Ends early if `isOver` returns true. */
export async function minimize<T>(items: readonly T[], trials: Trials<T>): Promise<readonly T[]> {
  // The failing step often needs no earlier step.
  let smallest = (await trials.test([])) ?? items;
  let pieces = 2;
  while (smallest.length > 0 && !trials.isOver()) {
    const smaller = await findFirstReproducing(listComplements(smallest, Math.min(pieces, smallest.length)), trials);
    if (smaller === undefined && pieces >= smallest.length) break;
    if (smaller === undefined) pieces = Math.min(2 * pieces, smallest.length);
    else [smallest, pieces] = [smaller, Math.max(pieces - 1, 2)];
  }
  return smallest;
}

/** Lists the items without each piece, the last pieces first because they are needed least often. */
function listComplements<T>(items: readonly T[], pieces: number): T[][] {
  const edges = Array.from({ length: pieces + 1 }, (_, index) => Math.round((index * items.length) / pieces));
  const omitPiece = (at: number) => [...items.slice(0, edges[at]), ...items.slice(edges[at + 1])];
  return Array.from({ length: pieces }, (_, index) => omitPiece(pieces - 1 - index));
}

async function findFirstReproducing<T>(
  candidates: readonly T[][],
  { test, parallel, isOver }: Trials<T>,
): Promise<readonly T[] | undefined> {
  for (let next = 0; next < candidates.length && !isOver(); next += parallel) {
    const tested = await Promise.all(candidates.slice(next, next + parallel).map(test));
    const found = tested.find((items) => items !== undefined);
    if (found) return found;
  }
  return undefined;
}
