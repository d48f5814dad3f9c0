// The commits of each world, the latest of them, in memory: what a world was like before is the world without them. Bounded in number
// and bytes; what was dropped is counted. Another world in place of one (a reset, an import, …) begins anew.

import type { Beginning } from "../domain/kernel/beginnings.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import { nowOf, type WallClock } from "../time/clock.ts";
import type { Cause, Committed } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import { type Commit, Remembered } from "./commit-record.ts";
import { CommitRing, type Point, type RetainedCommits, type RewindMade } from "./commit-ring.ts";

export type { Beginning } from "../domain/kernel/beginnings.ts";
export type { Commit } from "./commit-record.ts";
export type { Point, RetainedCommits, RewindMade } from "./commit-ring.ts";

interface CommitsDeps {
  /** The next number in the order of everything. */
  next(): number;
  wall: WallClock;
  /** At most so many of each world; 0 for none. */
  most: { commits: number; bytes: number };
}

export type CommitMemory = ReturnType<typeof makeCommitMemory>;

export function makeCommitMemory({ next, wall, most }: CommitsDeps) {
  const memories = new WeakMap<World, CommitRing>();
  const begin = (world: World, why: Beginning): CommitRing => {
    const began = wall();
    const at = nowOf(world.clock(), () => began);
    const memory = new CommitRing({ seq: next(), at, wall_at: fromMillis(began), why }, most);
    memories.set(world, memory);
    return memory;
  };
  const of = (world: World): CommitRing => memories.get(world) ?? begin(world, "start");
  return {
    begin,
    add(world: World, cause: Cause, { at, facts, changes }: Committed): void {
      of(world).add(new Remembered({ seq: next(), at, wall: wall() }, cause, facts, changes));
    },
    /** The moment that is now. */
    last: (world: World): Point => of(world).last,
    /** A snapshot was saved now. */
    saved: (world: World, name: string): void => void of(world).saved.set(name, of(world).last),
    savedAt: (world: World, name: string): Point | undefined => of(world).saved.get(name),
    /** The latest commit was a rewind. */
    rewound: (world: World, to: number): void => void of(world).rewinds.push({ seq: of(world).last.seq, to }),
    rewinds: (world: World): readonly RewindMade[] => of(world).rewinds,
    /** Oldest first. */
    of: (world: World): readonly Commit[] => of(world).commits,
    retained: (world: World): RetainedCommits => of(world).retained,
  };
}
