// The known name that someone may have meant, by the fewest changes of a letter.

export function nearest(name: string, known: readonly string[]): string {
  const ranked = known.map((each) => ({ each, changes: distance(name.toLowerCase(), each.toLowerCase()) }));
  return ranked.sort((a, b) => a.changes - b.changes)[0]?.each ?? "";
}

/** "There is no act x. Did you mean y?" */
export function unknown(kind: string, name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return `there is no ${kind} \`${name.slice(0, 80)}\`${guess ? `; did you mean \`${guess}\`?` : ""}`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].slice(0, 80).entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
