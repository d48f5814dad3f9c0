// Reads the past of a world from the activity log: commits, named points in time, the world at a point, versions of a
// record, and the differences between two points.

import { isDeepStrictEqual } from "node:util";
import type { operations } from "../../contract/generated/control.ts";
import type { Schemas } from "../../contract/schemas.ts";
import { suggest } from "../../platform/nearest.ts";
import { Slice } from "../../platform/slices.ts";
import { BEGAN, type Beginning } from "../domain/kernel/beginnings.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { ClockRecord, Delivery, Message } from "../domain/kernel/records.ts";
import type { Row, StoredEntry } from "../log/entry.ts";
import type { ActivityLog } from "../log/log.ts";
import {
  type Commit,
  findSnapshot,
  isListedCommit,
  listCommits,
  type Point,
  parseCommit,
  REWIND,
  toPoint,
} from "../log/past.ts";
import { hold, run } from "../time/clock.ts";
import { type Cause, type CommittedChange, getCause, type RowChange } from "../world/state/commit.ts";
import { applyRows, type Collections, copyCollections, credentials, type Name } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Clocks } from "./clocks.ts";
import { isDifferent } from "./differences.ts";

/** The point right after the commit `seq`, with its name in the request. */
export type NamedPoint = Schemas["Moment"];

/** A record that changed between two points, at both of them, and the causes of the change, latest first. */
export interface CausedChange extends CommittedChange {
  causes: readonly Cause[];
}

/** A record as one commit left it. */
interface RecordVersion extends Pick<Commit, "seq" | "at" | "wall_at" | "cause">, Omit<CommittedChange, "id"> {}

type HistoryFilter = NonNullable<operations["listCommits"]["parameters"]["query"]>;

export interface FoldedCommit extends Commit {
  deliveries?: number;
  /** The point before the next commit that is listed. */
  until?: Point;
}

/** `seq`: the number of its commit; `to`: the number of the point that it restored. */
interface PastRewind {
  seq: number;
  to: number;
}

/** The changes that restore a world to a point. */
export interface PastState {
  point: NamedPoint;
  changes: readonly RowChange[];
}

interface HistoryDeps {
  activityLog: ActivityLog;
  clocks: Pick<Clocks, "now" | "wall">;
  worlds: Pick<Worlds, "listSnapshots">;
  /** Copies a world with these records. Changes of the copy are not stored. */
  copy(world: World, collections: Collections): World;
}

const NUMBER = /^\d{1,16}$/;
const REWIND_TARGET = /"rewind":\{"to":(\d+)\}/;
const MAX_LISTED_NAMES = 10;

export class History {
  readonly #deps: HistoryDeps;
  readonly #log: ActivityLog;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    this.#log = deps.activityLog;
  }

  /** Returns the latest commits that match, oldest first. Other requests are served in the meantime. */
  async list(world: World, filter: HistoryFilter): Promise<FoldedCommit[]> {
    const { since = 0, before = Number.POSITIVE_INFINITY, touches, caused_by, limit = 100, fold = false } = filter;
    const items: FoldedCommit[] = [];
    const deliveries = new Map<string, number>();
    let last: Point | undefined;
    const slice = new Slice();
    const first = Math.max(since, this.#log.findFirstPoint(world.id));
    for (const entry of listCommits(this.#log, world.id, first).reverse()) {
      if (items.length >= limit) break;
      if (slice.isOver) await slice.pause();
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

  /** Lists the commits of a cause, oldest first. */
  listCaused(world: World, cause: string): Commit[] {
    return this.#list(world, ({ id }) => id === cause).map(parseCommit);
  }

  /** Lists the rewinds whose changes mention an id, oldest first. */
  listRewindsMentioning(world: World, id: string): Commit[] {
    return this.#list(world, (entry) => entry.id === REWIND && isMentioned(entry, id)).map(parseCommit);
  }

  /**
   * Lists the versions of the record that has this id, or had it last, oldest first. After a rewind another kind of
   * record may get the same id. Other requests are served in the meantime.
   */
  async listVersions(world: World, id: string): Promise<RecordVersion[]> {
    const versions: RecordVersion[] = [];
    const slice = new Slice();
    for (const entry of this.#list(world)) {
      if (slice.isOver) await slice.pause();
      if (!isMentioned(entry, id)) continue;
      const { seq, at, wall_at, cause, changes } = parseCommit(entry);
      for (const { collection, before, after } of changes.findByRecord(id).filter(isDifferent))
        versions.push({ seq, at, wall_at, cause, collection, before, after });
    }
    const last = versions.at(-1);
    const name = last?.after ? last.collection : (world.find(id)?.collection ?? last?.collection);
    return versions.filter(({ collection }) => collection === name);
  }

  /** Lists the ids of the messages that were created after a point. */
  listMessagesSince(world: World, { seq }: Point): ReadonlySet<string> {
    const commits = listCommits(this.#log, world.id, seq).map(parseCommit);
    const changes = commits.flatMap((commit) => commit.changes.findByCollection("messages"));
    return new Set(changes.flatMap(({ id, before }) => (before === null ? id : [])));
  }

  /** Lists the rewinds, oldest first. */
  listRewinds(world: World): PastRewind[] {
    return this.#list(world, ({ id }) => id === REWIND).flatMap(({ seq, text }) => {
      const to = REWIND_TARGET.exec(text)?.[1];
      return to === undefined ? [] : [{ seq, to: Number(to) }];
    });
  }

  /** Finds the rewind that undid a commit; undefined also if a later one restored it. */
  findUndo(world: World, commit: Commit, rewinds = this.listRewinds(world)): PastRewind | undefined {
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

  /** Lists the records that differ between two points. The second may be the earlier one. */
  async diff(world: World, from: NamedPoint, to: NamedPoint): Promise<Iterable<CausedChange>> {
    const span = { from: Math.min(from.seq, to.seq), to: Math.max(from.seq, to.seq) };
    const changes = await this.#merge(world, span, (merged) => merged);
    return from.seq > to.seq ? reverseChanges(changes) : changes;
  }

  /**
   * Calls `use` with the changes that restore the world to a point. A running clock continues from there. Nothing runs
   * between reading the latest entry and `use`. `visit` gets each commit after the point.
   */
  withPast<T>(world: World, to: NamedPoint, use: (past: PastState) => T, visit?: (_: Commit) => void): Promise<T> {
    const finish = (merged: Iterable<CausedChange>) => {
      const clock = this.#findClock(world, to.seq);
      const changes = Array.from(merged, toRestored)
        // The clock is last and has its own rule; keys and tokens stay.
        .filter(([collection]) => collection !== "clock" && !credentials.includes(collection as Name));
      const restored = clock?.mode === "running" ? run(to.at, this.#deps.clocks.wall) : clock;
      if (restored) changes.push(["clock", restored.id, restored as Row]);
      return use({ point: to, changes });
    };
    return this.#merge(world, { from: to.seq }, finish, visit);
  }

  /**
   * Returns a function that copies the world at a point, in constant time. The copies are private to the caller, which
   * may change them. Their clocks are held.
   */
  createPastViewFactory(world: World, { seq, at }: Pick<NamedPoint, "seq" | "at">): Promise<() => World> {
    return this.#merge(world, { from: seq }, (merged) => this.#createViewFactory(world, at, merged));
  }

  /** Copies the current world, with its clock held. */
  createView(world: World, at: Instant): World {
    return this.#createViewFactory(world, at, [])();
  }

  #createViewFactory(world: World, at: Instant, changes: Iterable<CausedChange>): () => World {
    const past = world.copy();
    applyRows(past, Array.from(changes, toRestored));
    past.clock.set("clock", hold(at));
    return () => this.#deps.copy(world, copyCollections(past));
  }

  #list(world: World, fits: (entry: StoredEntry) => boolean = () => true): StoredEntry[] {
    return listCommits(this.#log, world.id).filter(fits);
  }

  /**
   * Calls `visit` with each commit of a span, then `finish` with their merged changes. Requests run while the entries
   * are parsed. Nothing runs between reading the latest entry and `finish`, so it may commit a change that relies on
   * them.
   */
  async #merge<T>(
    world: World,
    { from, to = Number.POSITIVE_INFINITY }: { from: number; to?: number },
    finish: (merged: Iterable<CausedChange>) => T,
    visit?: (commit: Commit) => void,
  ): Promise<T> {
    const merged = new Map<string, CausedChange>();
    const slice = new Slice();
    for (let seq = from; ; ) {
      if (this.#log.findFirstPoint(world.id) > seq) this.#rejectDropped(world, String(from));
      const entries = this.#log.listAfter(seq, { world: world.id, limit: 50 });
      for (const entry of entries) {
        if (slice.isOver) break;
        seq = entry.seq;
        if (seq > to || !isListedCommit(entry)) continue;
        const commit = parseCommit(entry);
        mergeCommit(merged, commit);
        visit?.(commit);
      }
      if (entries.length === 0 || seq >= to) return finish(listChanged(merged.values()));
      if (slice.isOver) await slice.pause();
    }
  }

  /**
   * Finds a point by its name. Rejects with MOMENT_UNKNOWN for unknown names, and MOMENT_NOT_KEPT for dropped points.
   */
  findNamedPoint(world: World, text: string): NamedPoint {
    return { ...this.#findPoint(world, text), named: text };
  }

  #findPoint(world: World, text: string): Point {
    const { now, wall } = this.#deps.clocks;
    if (text === "now") return { seq: this.findLast(world).seq, at: now(world), wall_at: fromMillis(wall()) };
    if (NUMBER.test(text)) return this.#findNumber(world, Number(text));
    const instant = readInstant(text);
    return instant === undefined ? this.#findName(world, text) : this.#findInstant(world, text, instant);
  }

  #findInstant(world: World, text: string, instant: Instant): Point {
    const now = this.#deps.clocks.now(world);
    if (instant > now) reject("MOMENT_UNKNOWN", { what: `It is ${now} now, and ${text} is in the future.` });
    const { seq, at, wall_at } = this.findPointAt(world, instant) ?? this.#findFirst(world);
    if (at > instant) this.#rejectDropped(world, text);
    // A running clock has continued since that commit.
    return { seq, at: this.#findClock(world, seq)?.mode === "running" ? instant : at, wall_at };
  }

  #findNumber(world: World, seq: number): Point {
    const { lastSeq } = this.#log;
    if (seq < this.#findFirst(world).seq) this.#rejectDropped(world, String(seq));
    if (seq > lastSeq) reject("MOMENT_UNKNOWN", { what: `${seq} is not used yet; the latest number is ${lastSeq}.` });
    // The number of a request, or of another world, means the state at that time.
    return this.findPointBefore(world, seq + 1);
  }

  #findName(world: World, text: string): Point {
    const names = this.#deps.worlds.listSnapshots(world.id);
    const saved = names.includes(text) ? findSnapshot(this.#log, world.id, text) : undefined;
    // Snapshots come first, because the cause of a change of the world is a word that a snapshot may have as its name.
    if (saved !== undefined) return this.#findNumber(world, saved);
    // The last commit is used, because a move of the clock has many.
    const caused = this.#list(world, ({ id }) => id === text).at(-1);
    return caused ? toPoint(caused) : reject("MOMENT_UNKNOWN", { what: explainUnknown(world, text, names) });
  }

  /** Finds the point right before a commit. */
  findPointBefore(world: World, seq: number): Point {
    const last = this.#list(world).findLast((entry) => entry.seq < seq);
    return last ? toPoint(last) : this.#findFirst(world);
  }

  /** Finds the point of the last commit up to an instant, since nothing changes between two commits. */
  findPointAt(world: World, instant: Instant): Point | undefined {
    const last = this.#list(world).findLast(({ at }) => at <= instant);
    return last && toPoint(last);
  }

  /** Finds the point of the latest commit, or the first point. */
  findLast(world: World): Point {
    return this.findPointBefore(world, Number.POSITIVE_INFINITY);
  }

  #findFirst(world: World): Point {
    const { beginning } = this.#log.findMarks(world.id);
    const seq = this.#log.findFirstPoint(world.id);
    if (beginning?.seq === seq) return toPoint(beginning);
    const [next] = this.#log.listAfter(seq, { world: world.id, limit: 1 });
    const { at, wall } = next ?? { at: this.#deps.clocks.now(world), wall: this.#deps.clocks.wall() };
    const clock = this.#findClock(world, seq);
    return toPoint({ seq, at: clock?.mode === "held" ? clock.at : at, wall });
  }

  /** Finds the clock right after a point, which is the one before its next change. */
  #findClock(world: World, seq: number): ClockRecord | undefined {
    for (const entry of listCommits(this.#log, world.id, seq)) {
      const [change] = parseCommit(entry).changes.findByCollection("clock");
      if (change) return (change.before ?? undefined) as ClockRecord | undefined;
    }
    return world.clock();
  }

  describeRetained(world: World): Schemas["Kept"] {
    const commits = this.#list(world);
    const from = this.#findFirst(world);
    const { beginning, dropped } = this.#log.findMarks(world.id);
    const began = beginning
      ? { ...toPoint(beginning), why: beginning.id in BEGAN ? (beginning.id as Beginning) : ("start" as const) }
      : { ...from, why: "dropped" as const };
    const bytes = commits.reduce((sum, { text }) => sum + text.length, 0);
    return { commits: commits.length, bytes, from, began, dropped: dropped.count };
  }

  /** Rejects with MOMENT_NOT_KEPT, which explains what is retained and how to retain more. */
  #rejectDropped(world: World, text: string): never {
    const { began, dropped, from } = this.describeRetained(world);
    const isWhole = dropped === 0 && began.why !== "dropped";
    const why = isWhole ? `${BEGAN[began.why]} then` : `${BEGAN.dropped}; raise the option \`log-bytes\` to keep more`;
    return reject("MOMENT_NOT_KEPT", { world_id: world.id, moment: text, seq: from.seq, at: from.at, why });
  }
}

/** Whether only keys and tokens changed, which stay when a world is rewound. */
export function isOfClient({ changes }: Commit): boolean {
  return [...changes.collections].every((name) => credentials.includes(name as Name) || name === "counters");
}

const MAX_CAUSES = 10;

function mergeCommit(merged: Map<string, CausedChange>, { cause, changes }: Commit): void {
  for (const change of changes) {
    const key = `${change.collection} ${change.id}`;
    const { before, causes } = merged.get(key) ?? { before: change.before, causes: [] };
    // A commit may write an unchanged record.
    const isChanged = !isDeepStrictEqual(change.before, change.after);
    const latest = isChanged ? [cause, ...causes.filter(({ id }) => id !== cause.id)].slice(0, MAX_CAUSES) : causes;
    merged.set(key, { ...change, before, causes: latest });
  }
}

/**
 * Omits records that have their original value again. Changes are compared lazily, because comparing all at once would
 * delay other requests.
 */
function* listChanged(merged: Iterable<CausedChange>): Generator<CausedChange> {
  for (const change of merged) if (isDifferent(change)) yield change;
}

function* reverseChanges(changes: Iterable<CausedChange>): Generator<CausedChange> {
  for (const change of changes) yield { ...change, before: change.after, after: change.before };
}

const toRestored = ({ collection, id, before }: CausedChange): RowChange => [collection, id, before];

/** Finds the cause of the message of a delivery; undefined for other ids, and if the world no longer has the message. */
function findDeliveryCause(world: World, id: string): string | undefined {
  if (!id.startsWith("dlv_")) return undefined;
  const delivery = world.find(id)?.record as Partial<Delivery> | undefined;
  const message = delivery?.message_id && (world.find(delivery.message_id)?.record as Message | undefined);
  return message ? getCause(message) : undefined;
}

/** The id is compared with its quotes, so a part of a longer id doesn't match. */
const isMentioned = ({ text }: StoredEntry, id: string): boolean => text.includes(JSON.stringify(id));

function isTouched(entry: StoredEntry, record: string): boolean {
  if (!isMentioned(entry, record)) return false;
  return parseCommit(entry)
    .changes.findByRecord(record)
    .some(({ collection }) => collection !== "tokens");
}

/** Whether a text already names a point: numbers, `now` and the ids of causes. A snapshot must not have such a name. */
export const isPointName = (text: string): boolean =>
  text === "now" || NUMBER.test(text) || /^(req|act|clk)-\w+-\d+$|^dlv_/.test(text);

function explainUnknown(world: World, text: string, names: readonly string[]): string {
  const excerpt = text.slice(0, 60);
  if (names.includes(text))
    return `Snapshot ${excerpt} was saved before the kept history of world ${world.id} began. Restore it instead, which starts a new history.`;
  const known = names.length > 0 ? ` (${names.slice(0, MAX_LISTED_NAMES).join(", ")})` : "";
  return `${excerpt} is not a point in time of world ${world.id}.${suggest(text, names)} Use a number of the history, an instant such as ${world.clock()?.at}, the id of a request, an act or a clock move that changed something, the name of a snapshot${known}, or now.`;
}
