// Delta debugging (Zeller and Hildebrandt 2002, ddmin by complements): the fewest items with which a test still holds, no single one of
// which can be left out. Several candidates are tested at once; the first of them in order counts, so that a run can be repeated.

interface Trials<T> {
  /** What is left of the items where the test holds with them, which may be fewer still; undefined where it does not. */
  test(items: readonly T[]): Promise<readonly T[] | undefined>;
  /** The number of tests at once. */
  atOnce: number;
  /** Whether the time is up. */
  isOver(): boolean;
}

/** Returns `items` where nothing can be left out. Ends early where `isOver` says so. */
export async function minimize<T>(items: readonly T[], trials: Trials<T>): Promise<readonly T[]> {
  // Often the failing step needs nothing before it.
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

/** The items without each of so many pieces; the last pieces first, since what comes late is seldom needed by what comes before. */
function listComplements<T>(items: readonly T[], pieces: number): T[][] {
  const edges = Array.from({ length: pieces + 1 }, (_, index) => Math.round((index * items.length) / pieces));
  const omitPiece = (at: number) => [...items.slice(0, edges[at]), ...items.slice(edges[at + 1])];
  return Array.from({ length: pieces }, (_, index) => omitPiece(pieces - 1 - index));
}

async function findFirstReproducing<T>(
  candidates: readonly T[][],
  { test, atOnce, isOver }: Trials<T>,
): Promise<readonly T[] | undefined> {
  for (let next = 0; next < candidates.length && !isOver(); next += atOnce) {
    const tested = await Promise.all(candidates.slice(next, next + atOnce).map(test));
    const found = tested.find((items) => items !== undefined);
    if (found) return found;
  }
  return undefined;
}
