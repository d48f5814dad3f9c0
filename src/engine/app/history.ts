// What can be asked of the past of a world: its kept commits, the moments between them, the world as it was at one, the versions of a
// record, and what differs between two moments.

import type { ClockRecord } from "../domain/kernel/records.ts";
import { held } from "../time/clock.ts";
import type { Cause, Changed } from "../world/state/commit.ts";
import { applyRows, copyCollections, makeWorld, type SharedHooks, type World } from "../world/state/world.ts";
import { isOfClient } from "./commit-record.ts";
import type { Commit, RetainedCommits, RewindMade } from "./commits.ts";
import { changeOf, differs, displayId, membersOf, titleOf } from "./differences.ts";
import { type Moment, type MomentNeeds, makeMoments, rejectNotRetained } from "./moments.ts";

export type { Commit } from "./commits.ts";
export type { Moment } from "./moments.ts";

/** A record as one commit left it. */
interface RecordVersion extends Pick<Commit, "seq" | "at" | "wall_at">, Omit<Caused, "id"> {}

/** With what changed it last. */
interface Caused extends Changed {
  cause: Cause;
}

export type History = ReturnType<typeof makeHistory>;

interface HistoryDeps extends MomentNeeds {
  /** Of a world with these assumptions. */
  hooksOf(id: string, identity: World["identity"]): SharedHooks;
}

export function makeHistory({ hooksOf, ...needs }: HistoryDeps) {
  const { memory } = needs;
  const commitsSince = (world: World, seq: number): Commit[] => {
    if (seq < memory.retained(world).from.seq) rejectNotRetained(world, memory.retained(world), { text: String(seq) });
    return memory.of(world).filter((commit) => commit.seq > seq);
  };

  /** The clock as it stood right after a moment. */
  const clockAt = (world: World, seq: number): ClockRecord | undefined => {
    const changed = commitsSince(world, seq).flatMap(({ changes }) => changes);
    const next = changed.find(({ collection }) => collection === "clock");
    return next ? ((next.before as ClockRecord | null) ?? undefined) : world.clock();
  };

  const moment = makeMoments({ ...needs, clockAt });

  /**
   * Copies of the world as it was, each of them made in constant time: nobody else sees one, so questions and trials may be run on it.
   * Its clock is held.
   */
  const viewsAt = (world: World, { seq, at }: Pick<Moment, "seq" | "at">): (() => World) => {
    const past = world.copy();
    applyRows(
      past,
      merged(commitsSince(world, seq)).map(({ collection, id, before }) => [collection, id, before]),
    );
    past.clock.set("clock", held(at));
    return () => {
      const collections = copyCollections(past);
      const identity = () => collections.identity.get("identity");
      return makeWorld(world.id, { ...hooksOf(world.id, identity), keep: () => undefined }, collections);
    };
  };

  return {
    ...{ changeOf, membersOf, titleOf, displayId },
    commits: (world: World): readonly Commit[] => memory.of(world),
    retained: (world: World): RetainedCommits => memory.retained(world),
    moment,
    clockAt,
    /** The rewind that undid a commit; undefined also where a later one brought it back. */
    undoneBy(world: World, commit: Commit): RewindMade | undefined {
      if (isOfClient(commit)) return undefined;
      const { seq } = commit;
      const later = memory.rewinds(world).filter((rewind) => rewind.seq > seq);
      const stoodAt = (moment: number): boolean => {
        const last = later.findLast((rewind) => rewind.seq <= moment);
        return last ? stoodAt(last.to) : seq <= moment;
      };
      if (stoodAt(Number.POSITIVE_INFINITY)) return undefined;
      return later.findLast((rewind) => rewind.to < seq && stoodAt(rewind.seq - 1));
    },
    /** Each record that has changed since a moment, as it was then and as it is now. */
    changedSince: (world: World, { seq }: Pick<Moment, "seq">): Changed[] => merged(commitsSince(world, seq)),
    /** Each record that differs between two moments; the second may be the earlier one. */
    diff(world: World, from: Moment, to: Moment): Iterable<Caused> {
      const [first, last] = [Math.min(from.seq, to.seq), Math.max(from.seq, to.seq)];
      const changed = merged(commitsSince(world, first).filter(({ seq }) => seq <= last));
      return differing(from.seq <= to.seq ? changed : changed.map(turned));
    },
    viewAt: (world: World, moment: Pick<Moment, "seq" | "at">): World => viewsAt(world, moment)(),
    viewsAt,
    /** Of the record that has this id, or had it last, oldest first: after a rewind another kind of record may get an id anew. */
    of(world: World, id: string): RecordVersion[] {
      const versions = memory
        .of(world)
        .flatMap(({ seq, at, wall_at, cause, changes }) =>
          changes
            .filter((change) => change.id === id && differs(change))
            .map(({ collection, before, after }) => ({ seq, at, wall_at, cause, collection, before, after })),
        );
      const last = versions.at(-1);
      const name = last?.after ? last.collection : (world.find(id)?.collection ?? last?.collection);
      return versions.filter(({ collection }) => collection === name);
    },
  };
}

/** The changes of several commits as one; what is again as it was is left out. */
function merged(commits: readonly Commit[]): Caused[] {
  const found = new Map<string, Caused>();
  for (const { changes, cause } of commits)
    for (const change of changes) {
      const key = `${change.collection} ${change.id}`;
      found.set(key, { ...change, cause, before: (found.get(key) ?? change).before });
    }
  return [...found.values()].filter(({ before, after }) => before !== after);
}

/** Each is compared when it is read: all at once would hold up others. */
function* differing(changed: readonly Caused[]): Generator<Caused> {
  for (const change of changed) if (differs(change)) yield change;
}

const turned = (change: Caused): Caused => ({ ...change, before: change.after, after: change.before });
