// Worlds as a tree: each fork below the world that it was copied from.
interface Forked {
  id: string;
  forked_from?: string;
}

export interface Placed<T> {
  world: T;
  depth: number;
}

/** A fork whose origin has been removed stands by itself. */
export function treeOf<T extends Forked>(worlds: readonly T[]): Placed<T>[] {
  const known = new Set(worlds.map(({ id }) => id));
  const below = new Map<string, T[]>();
  for (const world of worlds) {
    const parent = world.forked_from !== undefined && known.has(world.forked_from) ? world.forked_from : "";
    below.set(parent, [...(below.get(parent) ?? []), world]);
  }
  const placed = (parent: string, depth: number): Placed<T>[] =>
    (below.get(parent) ?? []).flatMap((world) => [{ world, depth }, ...placed(world.id, depth + 1)]);
  return placed("", 0);
}
