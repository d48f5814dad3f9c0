// Holds all worlds of one sandbox and their named snapshots. Each change is appended to the log before memory has it,
// so memory and disk can't differ. A complete world is stored as a copy of another one and the records in which the two
// differ.
import { Slice } from "../../../platform/slices.ts";
import type { Beginning } from "../../domain/kernel/beginnings.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { ClockRecord } from "../../domain/kernel/records.ts";
import { type EntryDraft, isOfWorld, type Replacement, type Row } from "../../log/entry.ts";
import type { CommitContent, RowChange } from "./commit.ts";
import { chooseCounters } from "./counters.ts";
import type { Collections, State } from "./schema.ts";
import { applyRows, compareCollections, copyCollections, listRowChanges } from "./schema.ts";
import { type Contents, createContents, makeWorld, type SharedHooks, type World } from "./world.ts";

/** The fields of a log entry that worlds provide. */
export interface WorldDraft extends Pick<EntryDraft, "world" | "at" | "facts" | "changes" | "replaced"> {
  kind: "commit" | "state";
  /** The id of its entry. */
  why?: Beginning | "snapshot";
}

/** A world that others are copied from. It has a name in the log and is invisible to requests. */
export interface Template {
  readonly id: string;
  readonly collections: Collections;
}

interface WorldsHooks {
  createHooks(id: string): SharedHooks;
  now(clock: ClockRecord | undefined): Instant;
  /**
   * Throws a StoreError when the entry can't be stored. `records`: a copy of all records of a world that is replaced.
   */
  append(draft: WorldDraft, records?: Collections): void;
  /** Stores a part of a world that is not visible to requests yet. */
  appendPart(draft: WorldDraft): void;
}

/** A world that replaces another one once all its parts are stored. */
interface StagedWorld {
  readonly collections: Collections;
  /** The rows to store. They are in the collections already. */
  readonly rows: readonly RowChange[];
  readonly why: "import" | "populate";
  /** Whether to continue, checked before each part. */
  isWanted(): boolean;
  /**
   * Runs in the turn of the replacement. Returns the rows that have changed since; undefined to leave the world
   * unchanged.
   */
  finish(): readonly RowChange[] | undefined;
}

/**
 * Stands before the name of a snapshot. Hidden worlds have no id before it; the next start removes those that a kill
 * left behind.
 */
const SNAPSHOT_MARK = "@";
const ROWS_PER_PART = 200;

const toKey = (world: string, snapshot: string): string => world + SNAPSHOT_MARK + snapshot;

export type Worlds = Pick<WorldMap, keyof WorldMap>;

export class WorldMap {
  readonly #hooks: WorldsHooks;
  readonly #worlds = new Map<string, World>();
  /** The records of the worlds, of their snapshots, and of worlds that are stored part by part. */
  readonly #collections = new Map<string, Collections>();
  /** The ids of the templates that are in the store. */
  readonly #templates = new Set<string>();
  #lastStaged = 0;

  constructor(hooks: WorldsHooks, state: State) {
    this.#hooks = hooks;
    this.#load(state);
  }

  get(id: string): World | undefined {
    return this.#worlds.get(id);
  }

  all(): World[] {
    return [...this.#worlds.values()];
  }

  /** Creates a world, which owns the collections from now on. */
  create(id: string, collections: Collections, template: Template): World {
    return this.#put(id, collections, this.#storeTemplate(template), "created");
  }

  /** Copies a world to another id. Both share all data until one of the two changes. `prepare` changes the copy. */
  fork(id: string, as: string, prepare: (fork: World) => void, changes: readonly RowChange[] = []): World {
    const original = this.#getCollections(id);
    const collections = copyCollections(original);
    applyRows(collections, changes);
    prepare(this.#copyWorld(as, id, collections));
    return this.#put(as, collections, { id, collections: original }, "fork");
  }

  /** Replaces the collections of a world; its keys, tokens and pinned subscriptions stay. */
  replace(id: string, collections: Collections, template: Template): World {
    return this.#reload(id, collections, this.#storeTemplate(template), "reset");
  }

  /**
   * Stores a world part by part, with turns for other requests in between, then replaces the current one as `replace`
   * does. Returns undefined if it is no longer wanted. All parts are removed then, and also if the store throws.
   */
  async replaceInParts(
    id: string,
    { collections, rows, why, isWanted, finish }: StagedWorld,
  ): Promise<World | undefined> {
    const key = SNAPSHOT_MARK + ++this.#lastStaged;
    this.#collections.set(key, collections);
    try {
      const slice = new Slice();
      for (const part of listParts(rows, why === "import" ? null : id)) {
        if (!isWanted()) return undefined;
        this.#appendPart(key, ...part);
        if (slice.isOver) await slice.pause();
      }
      const last = isWanted() ? finish() : undefined;
      if (!last) return undefined;
      applyRows(collections, last);
      this.#appendPart(key, last);
      return this.#reload(id, collections, { id: key, collections: copyCollections(collections) }, why);
    } finally {
      this.#collections.delete(key);
      // The parts stay in the file of a full disk until the next start.
      try {
        this.#appendPart(key, [], "gone");
      } catch {}
    }
  }

  drop(id: string): void {
    this.#remove(id);
    this.close(id);
  }

  /** Loads a world with its snapshots from the state of the store. */
  load(id: string, state: State): World {
    this.#load(state);
    const found = this.get(id);
    if (!found) throw new Error(`there is no world ${id} in its state`);
    return found;
  }

  /** Takes a world with its snapshots out of memory; the store keeps both. */
  close(id: string): void {
    this.#worlds.delete(id);
    for (const key of this.#collections.keys()) if (isOfWorld(key, id)) this.#collections.delete(key);
  }

  /** Copies a world for bulk work, which produces no webhook messages. The copy is invisible to requests. */
  createBulkCopy(id: string): { world: World; collections: Collections } {
    const collections = copyCollections(this.#getCollections(id));
    return { world: this.#copyWorld(id, id, collections), collections };
  }

  listSnapshots(id: string): string[] {
    const prefix = toKey(id, "");
    return [...this.#collections.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  /** `wall` is the real time, which only the caller may read. */
  save(id: string, name: string, wall: Instant, now: Instant): void {
    const original = this.#getCollections(id);
    const collections = copyCollections(original);
    const identity = collections.identity.get("identity");
    if (identity) collections.identity.set("identity", { ...identity, saved: { wall, now } });
    this.#appendState(toKey(id, name), collections, { id, collections: original }, "snapshot");
    this.#collections.set(toKey(id, name), collections);
  }

  restore(id: string, name: string): World {
    const saved = this.#getCollections(toKey(id, name));
    const fresh = copyCollections(saved);
    const { saved: _, ...identity } = fresh.identity.get("identity") ?? {};
    applyRows(fresh, [["identity", "identity", identity as Row]]);
    return this.#reload(id, fresh, { id: toKey(id, name), collections: saved }, "restore");
  }

  forget(id: string, name: string): void {
    this.#remove(toKey(id, name));
    this.#collections.delete(toKey(id, name));
  }

  findSnapshot(id: string, name: string): Contents | undefined {
    const saved = this.#collections.get(toKey(id, name));
    return saved && createContents(saved);
  }

  /** Copies all worlds for a snapshot of the store. It has no templates, so they are stored again at their next use. */
  copyState(only?: ReadonlySet<string>): State {
    this.#templates.clear();
    return [...this.#collections]
      .filter(([id]) => only?.has(id) ?? true)
      .map(([id, collections]) => [id, copyCollections(collections)]);
  }

  #load(state: State): void {
    for (const [id, collections] of state)
      if (id.includes(SNAPSHOT_MARK)) this.#collections.set(id, collections);
      else this.#open(id, collections);
  }

  #open(id: string, collections: Collections): World {
    const append = (commit: CommitContent) => this.#hooks.append({ world: id, kind: "commit", ...commit });
    const world = makeWorld(id, { ...this.#hooks.createHooks(id), append }, collections);
    this.#worlds.set(id, world);
    this.#collections.set(id, collections);
    return world;
  }

  /** Creates a world whose commits are not stored, with the assumptions of the world `from`. */
  #copyWorld(id: string, from: string, collections: Collections): World {
    const { assumes, address } = this.#hooks.createHooks(from);
    return makeWorld(id, { assumes, address, append: () => undefined }, collections);
  }

  #getCollections(id: string): Collections {
    const collections = this.#collections.get(id);
    if (!collections) throw new Error(`there is no world or snapshot ${id}`);
    return collections;
  }

  /** Replaces a world, which keeps its credentials, pinned subscriptions and sequences. */
  #reload(id: string, fresh: Collections, original: Template, why: Beginning): World {
    const own = this.#getCollections(id);
    const counters = chooseCounters(own.counters.get("counters"), fresh.counters.get("counters"));
    const collections = { ...fresh, keys: own.keys.copy(), tokens: own.tokens.copy() };
    applyRows(collections, comparePinned(fresh.subscriptions, own.subscriptions));
    if (counters) collections.counters.set("counters", counters);
    return this.#put(id, collections, original, why);
  }

  #put(id: string, collections: Collections, original: Template, why: Beginning): World {
    this.#appendState(id, collections, original, why);
    return this.#open(id, collections);
  }

  #appendState(world: string, collections: Collections, original: Template, why: WorldDraft["why"] & string): void {
    const at = this.#hooks.now(collections.clock.get("clock"));
    const changes = compareCollections(original.collections, collections);
    const draft: WorldDraft = { world, kind: "state", at, replaced: { from: original.id }, changes, why };
    this.#hooks.append(draft, copyCollections(collections));
  }

  #remove(world: string): void {
    // The stored instant is used, because the clock of a broken world can't be read.
    const at = this.#collections.get(world)?.clock.get("clock")?.at ?? "";
    this.#hooks.append({ world, kind: "state", at, replaced: "gone" });
  }

  /** A template is stored when the first world is copied from it. */
  #storeTemplate(template: Template): Template {
    if (this.#templates.has(template.id)) return template;
    for (const part of listParts(listRowChanges(template.collections), null)) this.#appendPart(template.id, ...part);
    this.#templates.add(template.id);
    return template;
  }

  #appendPart(world: string, rows: readonly RowChange[], replaced?: Replacement): void {
    const changes = rows.map(([collection, id, after]) => ({ collection, id, before: null, after }));
    this.#hooks.appendPart({ world, kind: "state", at: "", changes, ...(replaced ? { replaced } : {}) });
  }
}

/** Yields the parts of a world. The first one makes it a copy of the world `from`, or empty, even without rows. */
function* listParts(rows: readonly RowChange[], from: string | null): Generator<[RowChange[], Replacement?]> {
  yield [rows.slice(0, ROWS_PER_PART), { from }];
  for (let at = ROWS_PER_PART; at < rows.length; at += ROWS_PER_PART) yield [rows.slice(at, at + ROWS_PER_PART)];
}

/**
 * Keeps the pinned subscriptions of the current world. Those of the other state are unpinned, or removed if a kept one
 * has the same URL.
 */
function comparePinned(fresh: Collections["subscriptions"], own: Collections["subscriptions"]): RowChange[] {
  const pinned = [...own.all()].filter((subscription) => subscription.pinned);
  const others = [...fresh.all()].flatMap(({ pinned: was, ...other }): RowChange[] =>
    was ? [["subscriptions", other.id, pinned.some(({ url }) => url === other.url) ? null : other]] : [],
  );
  return [...others, ...pinned.map((row): RowChange => ["subscriptions", row.id, row])];
}
