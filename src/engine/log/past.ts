// Reads the past of a world from the commits in its entries, which are parsed when they are read.
import type { Schemas } from "../../contract/schemas.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { Cause, CommittedChange } from "../world/state/commit.ts";
import { readHeadText, type StoredEntry, walkChanges } from "./entry.ts";
import type { ActivityLog } from "./log.ts";

/** The point in time right after an entry. */
export type Point = Readonly<Schemas["Point"]>;

export interface Commit extends Point {
  readonly cause: Cause;
  readonly facts: readonly Fact[];
  readonly changes: CommitChanges;
}

/**
 * The changes of a commit, each parsed when it is read, because cancelling an event with 5,000 bookings changes 30,000
 * records.
 */
export class CommitChanges implements Iterable<CommittedChange> {
  readonly #entry: StoredEntry;

  constructor(entry: StoredEntry) {
    this.#entry = entry;
  }

  *[Symbol.iterator](): Generator<CommittedChange> {
    for (const text of walkChanges(this.#entry)) yield JSON.parse(text);
  }

  get collections(): ReadonlySet<string> {
    return new Set(Array.from(walkChanges(this.#entry), readCollectionName));
  }

  *walkOthers(collections: ReadonlySet<string>): Generator<CommittedChange> {
    for (const text of walkChanges(this.#entry)) if (!collections.has(readCollectionName(text))) yield JSON.parse(text);
  }

  findByCollection(name: string): CommittedChange[] {
    return Array.from(walkChanges(this.#entry, `\t${COLLECTION}${name}"`), (text) => JSON.parse(text));
  }

  findByRecord(id: string): CommittedChange[] {
    const found = Array.from(walkChanges(this.#entry, `,"id":${JSON.stringify(id)},`), (text) => JSON.parse(text));
    // The id may also occur within another record.
    return found.filter((change: CommittedChange) => change.id === id);
  }
}

const readCollectionName = (text: string): string =>
  text.slice(COLLECTION.length, text.indexOf('"', COLLECTION.length));

/** The cause of a commit that restored a point. */
export const REWIND = "rewind";
/** Each change begins with this text. */
const COLLECTION = '{"collection":"';

export function parseCommit(entry: StoredEntry): Commit {
  const { cause, facts } = JSON.parse(readHeadText(entry)) as Commit;
  return { ...toPoint(entry), cause, facts, changes: new CommitChanges(entry) };
}

export function toPoint({ seq, at, wall }: Pick<StoredEntry, "seq" | "at" | "wall">): Point {
  return { seq, at, wall_at: fromMillis(wall) };
}

/** Commits without the id of a cause are part of the state, but are not events of the world. */
export const isListedCommit = ({ kind, id }: StoredEntry): boolean => kind === "commit" && id !== "";

/** Lists the commits of a world after a point, oldest first. The default is all that are retained. */
export function listCommits(log: ActivityLog, world: string, since = log.findFirstPoint(world)): StoredEntry[] {
  return log.listAfter(since, { world }).filter(isListedCommit);
}

/** Finds the number of the point of a named snapshot, if it is in the retained past of its world. */
export function findSnapshot(log: ActivityLog, world: string, name: string): number | undefined {
  const snapshot = `${world}@${name}`;
  const first = log.findFirstPoint(world);
  const saved = log.findMarks(snapshot).beginning;
  if (saved && saved.seq >= first) return saved.seq;
  const beginning = log.listAfter(first - 1, { world, limit: 1 })[0];
  const isRestored = beginning?.text.includes(`"replaced":{"from":${JSON.stringify(snapshot)}}`);
  return beginning && isRestored ? beginning.seq : undefined;
}
