// What can be asked of the past of a world: its commits, points in time, the world at one of them, the versions of a record, and what differs
// between two points. All of it is read from the activity log.

import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Row } from "../log/entry.ts";
import { readTimes, type StoredEntry } from "../log/entry.ts";
import {
  type CausedChange,
  type Commit,
  findBefore,
  listCommits,
  listRewinds,
  MergedChanges,
  type Point,
  parseCommit,
  REWIND,
  type RewindMade,
  toPoint,
  visitCommits,
} from "../log/past.ts";
import { held, running } from "../time/clock.ts";
import type { RowChange } from "../world/state/commit.ts";
import { type Changed, causeOf } from "../world/state/commit.ts";
import { credentials, type Name } from "../world/state/schema.ts";
import { applyRows, copyCollections, makeWorld, type SharedHooks, type World } from "../world/state/world.ts";
import { changeOf, differs, displayId, membersOf, titleOf } from "./differences.ts";
import { type Moment, type MomentNeeds, Moments, type RetainedCommits } from "./moments.ts";

export type { CausedChange } from "../log/past.ts";
export type { Moment } from "./moments.ts";

/** A record as one commit left it. */
interface RecordVersion extends Pick<Commit, "seq" | "at" | "wall_at" | "cause">, Omit<Changed, "id"> {}

interface HistoryFilter {
  /** After, and before, this number. */
  since?: number;
  before?: number;
  /** The id of a record. */
  touches?: string;
  caused_by?: string;
  limit?: number;
  /** Commits of deliveries are counted under what caused their messages. */
  fold?: boolean;
}

export interface FoldedCommit extends Commit {
  deliveries?: number;
  /** The point before the next commit that is listed. */
  until?: Point;
}

/** Makes a world what it was at a point. */
export interface PastState {
  point: Moment;
  changes: readonly RowChange[];
}

interface HistoryDeps extends MomentNeeds {
  /** Of a world with these assumptions. */
  hooksOf(id: string, identity: World["identity"]): SharedHooks;
}

export class History {
  readonly #needs: HistoryDeps;
  readonly #moments: Moments;
  readonly changeOf = changeOf;
  readonly membersOf = membersOf;
  readonly titleOf = titleOf;
  readonly displayId = displayId;

  constructor(needs: HistoryDeps) {
    this.#needs = needs;
    this.#moments = new Moments(needs);
  }

  moment(world: World, text: string): Moment {
    return this.#moments.find(world, text);
  }

  /** The point of the latest commit. */
  last(world: World): Point {
    return this.#moments.findLast(world);
  }

  retained(world: World): RetainedCommits {
    return this.#moments.describeRetained(world);
  }

  /** The latest commits that fit, oldest first. */
  list(world: World, filter: HistoryFilter): FoldedCommit[] {
    const { since = 0, before = Number.POSITIVE_INFINITY, touches, caused_by, limit = 100, fold = false } = filter;
    const { log } = this.#needs;
    const items: FoldedCommit[] = [];
    const deliveries = new Map<string, number>();
    let last: Point | undefined;
    for (const entry of listCommits(log, world.id, Math.max(since, log.findFirstPoint(world.id))).reverse()) {
      if (items.length >= limit) break;
      last ??= toPoint(entry);
      const cause = fold ? findDeliveryCause(world, entry.id) : undefined;
      if (cause !== undefined) {
        deliveries.set(cause, (deliveries.get(cause) ?? 0) + 1);
        continue;
      }
      const more = fold ? { deliveries: deliveries.get(entry.id) ?? 0, until: last } : {};
      deliveries.delete(entry.id);
      last = undefined;
      if (entry.seq >= before || (caused_by !== undefined && entry.id !== caused_by)) continue;
      if (touches !== undefined && !isTouched(entry, touches)) continue;
      items.push({ ...parseCommit(entry), ...more });
    }
    return items.reverse();
  }

  /** The commits of a cause, oldest first. */
  listCaused(world: World, cause: string): Commit[] {
    return listCommits(this.#needs.log, world.id)
      .filter(({ id }) => id === cause)
      .map(parseCommit);
  }

  /** The rewinds whose changes mention an id, oldest first. */
  listRewindsOf(world: World, id: string): Commit[] {
    return listCommits(this.#needs.log, world.id)
      .filter((entry) => entry.id === REWIND && mentions(entry, id))
      .map(parseCommit);
  }

  /** The commits that changed a record, oldest first. */
  listTouching(world: World, record: string): Commit[] {
    return listCommits(this.#needs.log, world.id)
      .filter((entry) => mentions(entry, record))
      .map(parseCommit)
      .filter(({ changes }) => changes.ofRecord(record).length > 0);
  }

  /** The point right before a commit. */
  findPointBefore(world: World, seq: number): Point {
    return findBefore(this.#needs.log, world.id, seq) ?? this.#moments.findFirst(world);
  }

  /** The point of the last commit up to an instant. */
  findPointAt(world: World, instant: Instant): Point | undefined {
    const last = listCommits(this.#needs.log, world.id).findLast((entry) => readTimes(entry).at <= instant);
    return last && toPoint(last);
  }

  listRewinds(world: World): RewindMade[] {
    return listRewinds(this.#needs.log, world.id);
  }

  /** The rewind that undid a commit; undefined also where a later one brought it back. */
  undoneBy(world: World, commit: Commit, rewinds = this.listRewinds(world)): RewindMade | undefined {
    const { seq } = commit;
    const later = rewinds.filter((rewind) => rewind.seq > seq);
    if (later.length === 0 || isOfClient(commit)) return undefined;
    const isPresentAt = (point: number): boolean => {
      const last = later.findLast((rewind) => rewind.seq <= point);
      return last ? isPresentAt(last.to) : seq <= point;
    };
    if (isPresentAt(Number.POSITIVE_INFINITY)) return undefined;
    return later.findLast((rewind) => rewind.to < seq && isPresentAt(rewind.seq - 1));
  }

  /** Each record that differs between two points; the second may be the earlier one. */
  async diff(world: World, from: Moment, to: Moment): Promise<Iterable<CausedChange>> {
    const merged = new MergedChanges();
    const span = { from: Math.min(from.seq, to.seq), to: Math.max(from.seq, to.seq) };
    await this.#visit(
      world,
      span,
      (commit) => merged.add(commit),
      () => undefined,
    );
    return listDifferences(merged, from.seq > to.seq);
  }

  /**
   * Calls `use` with what makes the world that of a point; a running clock runs on from there. Nothing runs between reading the latest entry
   * and `use`. `visit` gets each commit after the point.
   */
  withPast<T>(world: World, point: Moment, use: (past: PastState) => T, visit?: (commit: Commit) => void): Promise<T> {
    const merged = new MergedChanges();
    return this.#visit(
      world,
      { from: point.seq },
      (commit) => {
        merged.add(commit);
        visit?.(commit);
      },
      () => {
        const clock = this.#moments.findClock(world, point.seq);
        const changes = [...merged]
          // The clock comes last, by its own rule; keys and tokens stay.
          .filter(({ collection }) => collection !== "clock" && !credentials.includes(collection))
          .map(({ collection, id, before }): RowChange => [collection, id, before]);
        if (clock)
          changes.push([
            "clock",
            clock.id,
            (clock.mode === "held" ? clock : running(point.at, this.#needs.wall)) as Row,
          ]);
        return use({ point, changes });
      },
    );
  }

  /**
   * Returns copies of the world at a point, each of them made in constant time: only the caller sees one, so questions and trials may be run
   * on it. Its clock is held.
   */
  viewsAt(world: World, { seq, at }: Pick<Moment, "seq" | "at">): Promise<() => World> {
    const merged = new MergedChanges();
    return this.#visit(
      world,
      { from: seq },
      (commit) => merged.add(commit),
      () => this.#copies(world, at, merged),
    );
  }

  /** Returns a copy of the world as it is, with its clock held. */
  viewNow(world: World, at: Instant): World {
    return this.#copies(world, at, [])();
  }

  /** Of the record that has this id, or had it last, oldest first: after a rewind another kind of record may get the same id. */
  of(world: World, id: string): RecordVersion[] {
    const commits = listCommits(this.#needs.log, world.id).filter((entry) => mentions(entry, id));
    const versions = commits.map(parseCommit).flatMap(({ seq, at, wall_at, cause, changes }) =>
      changes
        .ofRecord(id)
        .filter(differs)
        .map(({ collection, before, after }) => ({ seq, at, wall_at, cause, collection, before, after })),
    );
    const last = versions.at(-1);
    const name = last?.after ? last.collection : (world.find(id)?.collection ?? last?.collection);
    return versions.filter(({ collection }) => collection === name);
  }

  #copies(world: World, at: Instant, changes: Iterable<CausedChange>): () => World {
    const past = world.copy();
    applyRows(
      past,
      Array.from(changes, ({ collection, id, before }) => [collection, id, before] as const),
    );
    past.clock.set("clock", held(at));
    return () => {
      const collections = copyCollections(past);
      const identity = () => collections.identity.get("identity");
      const hooks = this.#needs.hooksOf(world.id, identity);
      return makeWorld(world.id, { ...hooks, append: () => undefined }, collections);
    };
  }

  #visit<T>(
    world: World,
    span: { from: number; to?: number },
    visit: (commit: Commit) => void,
    finish: () => T,
  ): Promise<T> {
    const reject = () => this.#moments.rejectDropped(world, String(span.from));
    return visitCommits(this.#needs.log, world.id, span, { visit, finish, reject });
  }
}

/** Whether only keys and tokens changed, which stay when a world is rewound. */
export function isOfClient({ changes }: Commit): boolean {
  return [...changes.collections].every((name) => credentials.includes(name as Name) || name === "counters");
}

/** What caused the message of a delivery; undefined for another id, and where the world no longer has the message. */
function findDeliveryCause(world: World, id: string): string | undefined {
  if (!id.startsWith("dlv_")) return undefined;
  const delivery = world.find(id)?.record as Partial<Delivery> | undefined;
  const message = delivery?.message_id && (world.find(delivery.message_id)?.record as Message | undefined);
  return message ? causeOf(message) : undefined;
}

/** Ids stand in quotation marks, so no id is found within a longer one. */
const mentions = ({ text }: StoredEntry, id: string): boolean => text.includes(JSON.stringify(id));

function isTouched(entry: StoredEntry, record: string): boolean {
  if (!mentions(entry, record)) return false;
  return parseCommit(entry)
    .changes.ofRecord(record)
    .some(({ collection }) => collection !== "tokens");
}

/** Each is compared when it is read: all at once would hold up other requests. */
function* listDifferences(changes: Iterable<CausedChange>, isReversed: boolean): Generator<CausedChange> {
  for (const change of changes) {
    const { before, after } = change;
    if (differs(change)) yield isReversed ? { ...change, before: after, after: before } : change;
  }
}
