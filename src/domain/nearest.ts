// The known name that someone may have meant. Levenshtein's distance, on texts cut to a length that no name of ours exceeds.

const LONGEST = 60;

export function distance(a: string, b: string): number {
  const [left, right] = [a.slice(0, LONGEST), b.slice(0, LONGEST)];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Begins like it, or takes the fewest changes to reach; "" when nothing is known. */
export function nearest(name: string, known: readonly string[]): string {
  const begun = known.find((each) => name.length > 1 && each.toLowerCase().startsWith(name.toLowerCase()));
  if (begun !== undefined) return begun;
  const steps = known.map((each) => ({ each, steps: distance(name.toLowerCase(), each.toLowerCase()) }));
  return steps.sort((a, b) => a.steps - b.steps)[0]?.each ?? "";
}
