// Reads the past of a world from the commits in its entries: they are parsed when they are read.
import { isDeepStrictEqual } from "node:util";
import { Slice } from "../../platform/slices.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { Cause, Changed } from "../world/state/commit.ts";
import { readHeadText, readTimes, type StoredEntry, walkChanges, walkChangesOf } from "./entry.ts";
import type { ActivityLog } from "./log.ts";

/** Right after an entry. */
export interface Point {
  readonly seq: number;
  readonly at: Instant;
  /** Real time. */
  readonly wall_at: Instant;
}

export interface Commit extends Point {
  readonly cause: Cause;
  readonly facts: readonly Fact[];
  readonly changes: CommitChanges;
}

/** The changes of a commit, each parsed when it is read: to cancel an event with 5,000 bookings changes 30,000 records. */
export class CommitChanges implements Iterable<Changed> {
  readonly #entry: StoredEntry;

  constructor(entry: StoredEntry) {
    this.#entry = entry;
  }

  *[Symbol.iterator](): Generator<Changed> {
    for (const text of walkChanges(this.#entry)) yield JSON.parse(text);
  }

  get collections(): ReadonlySet<string> {
    return new Set(Array.from(walkChanges(this.#entry), readCollection));
  }

  *without(collections: ReadonlySet<string>): Generator<Changed> {
    for (const text of walkChanges(this.#entry)) if (!collections.has(readCollection(text))) yield JSON.parse(text);
  }

  ofCollection(name: string): Changed[] {
    return Array.from(walkChanges(this.#entry, `${COLLECTION}${name}"`), (text) => JSON.parse(text));
  }

  ofRecord(id: string): Changed[] {
    return Array.from(walkChangesOf(this.#entry, id), (text) => JSON.parse(text));
  }
}

const readCollection = (text: string): string => text.slice(COLLECTION.length, text.indexOf('"', COLLECTION.length));

/** `seq`: of its commit; `to`: of the point that it restored. */
export interface RewindMade {
  seq: number;
  to: number;
}

/** The number of causes that are named for a difference. */
const MAX_CAUSES = 10;

/** A record that changed between two points, as it was at both, and the causes of that, the latest first. */
export interface CausedChange extends Changed {
  causes: readonly Cause[];
}

/** The cause of a commit that restored a point. */
export const REWIND = "rewind";
const TARGET = /"rewind":\{"to":(\d+)\}/;
/** A change begins with it. */
const COLLECTION = '{"collection":"';

export function parseCommit(entry: StoredEntry): Commit {
  const { seq, at, wall, cause, facts } = JSON.parse(readHeadText(entry)) as Commit & { wall: number };
  return { seq, at, wall_at: fromMillis(wall), cause, facts, changes: new CommitChanges(entry) };
}

export function toPoint(entry: StoredEntry): Point {
  const { at, wall } = readTimes(entry);
  return { seq: entry.seq, at, wall_at: fromMillis(wall) };
}

/** A commit without the id of a cause is part of the state, but nothing that happened in the world. */
const isListed = ({ kind, id }: StoredEntry): boolean => kind === "commit" && id !== "";

/** The commits of a world after a point, oldest first: by default all that are retained. */
export function listCommits(log: ActivityLog, world: string, since = log.findFirstPoint(world)): StoredEntry[] {
  return log.since(since, { world }).filter(isListed);
}

/** The point of the last commit before a number. */
export function findBefore(log: ActivityLog, world: string, seq: number): Point | undefined {
  const last = listCommits(log, world).findLast((commit) => commit.seq < seq);
  return last && toPoint(last);
}

/** Oldest first. */
export function listRewinds(log: ActivityLog, world: string): RewindMade[] {
  return listCommits(log, world).flatMap(({ seq, id, text }) => {
    const to = id === REWIND ? TARGET.exec(text)?.[1] : undefined;
    return to === undefined ? [] : [{ seq, to: Number(to) }];
  });
}

/** The clock as it was before it first changed after a point; undefined where it has not changed. */
export function findClockBefore(log: ActivityLog, world: string, seq: number): ClockRecord | null | undefined {
  for (const entry of listCommits(log, world, seq)) {
    const [change] = parseCommit(entry).changes.ofCollection("clock");
    if (change) return change.before as ClockRecord | null;
  }
  return undefined;
}

/** The number of the point that a named snapshot has, where it is of the retained past of its world. */
export function findSnapshot(log: ActivityLog, world: string, name: string): number | undefined {
  const snapshot = `${world}@${name}`;
  const first = log.findFirstPoint(world);
  const saved = log.findBeginning(snapshot);
  if (saved && saved.seq >= first) return saved.seq;
  const beginning = log.since(first - 1, { world, limit: 1 })[0];
  const isRestored = beginning?.text.includes(`"replaced":{"from":${JSON.stringify(snapshot)}}`);
  return beginning && isRestored ? beginning.seq : undefined;
}

interface Span {
  /** The entries after this one. */
  from: number;
  to?: number;
}

/**
 * Calls `visit` with each commit of a span, and then `finish`. Requests run while the entries are parsed. Nothing runs between reading the
 * latest entry and `finish`, so it may commit a change that relies on them. Calls `reject` where the span is no longer retained.
 */
export async function visitCommits<T>(
  log: ActivityLog,
  world: string,
  { from, to = Number.POSITIVE_INFINITY }: Span,
  { visit, finish, reject }: { visit(commit: Commit): void; finish(): T; reject(): never },
): Promise<T> {
  const slice = new Slice();
  let seq = from;
  for (;;) {
    if (log.findFirstPoint(world) > seq) reject();
    const entries = log.since(seq, { world, limit: 50 });
    for (const entry of entries) {
      if (slice.isOver) break;
      seq = entry.seq;
      if (seq <= to && isListed(entry)) visit(parseCommit(entry));
    }
    if (entries.length === 0 || seq >= to) return finish();
    if (slice.isOver) await slice.rest();
  }
}

/** The changes of several commits as one. */
export class MergedChanges {
  readonly #merged = new Map<string, CausedChange>();

  add({ cause, changes }: Commit): void {
    for (const change of changes) {
      const key = `${change.collection} ${change.id}`;
      const { before, causes } = this.#merged.get(key) ?? { before: change.before, causes: [] };
      // A commit may write a record as it was.
      const isChanged = !isDeepStrictEqual(change.before, change.after);
      const others = causes.filter(({ id }) => id !== cause.id);
      const latest = isChanged ? [cause, ...others].slice(0, MAX_CAUSES) : causes;
      this.#merged.set(key, { ...change, before, causes: latest });
    }
  }

  /** Without what is again as it was. */
  *[Symbol.iterator](): Generator<CausedChange> {
    for (const change of this.#merged.values()) if (!isDeepStrictEqual(change.before, change.after)) yield change;
  }
}
