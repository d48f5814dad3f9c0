/**
 * Finds the first index for which `isBefore` is false, by binary search: it is true for all indexes before, and
 * false for all others.
 */
export function findFirstIndex(length: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
