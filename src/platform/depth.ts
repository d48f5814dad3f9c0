// How deep a value is nested: what is read from a file is limited before any code recurses into it.

/** Level by level, so that a deep value costs no recursion; each object once, since a value may hold itself. */
export function isDeeperThan(most: number, value: unknown): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= most && level.size > 0; depth++)
    level = new Set(
      [...level].flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : [])),
    );
  return level.size > 0;
}
