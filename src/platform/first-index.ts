/** The first place of so many for which `isBefore` does not hold, by halves: it holds for all up to there, and for none after. */
export function firstIndex(length: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
