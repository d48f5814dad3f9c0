// Limits how deep a value is nested: a value from a file is checked before any code recurses into it.

/** Works level by level, without recursion, and visits each object once, because a value may contain itself. */
export function isDeeperThan(most: number, value: unknown): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= most && level.size > 0; depth++)
    level = new Set(
      [...level].flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : [])),
    );
  return level.size > 0;
}
