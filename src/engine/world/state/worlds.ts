// Holds all worlds of one sandbox and their named snapshots. Each change is appended to the log before memory has it,
// so memory and disk can't differ. A complete world is stored as a copy of another one and the records in which the two
// differ.
import { Slice } from "../../../platform/slices.ts";
import type { Beginning } from "../../domain/kernel/beginnings.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { ClockRecord } from "../../domain/kernel/records.ts";
import type { EntryDraft, Replacement, Row, State, WorldRecords } from "../../log/entry.ts";
import type { CommitContent, CommittedChange, RowChange } from "./commit.ts";
import { chooseCounters } from "./counters.ts";
import { type Collections, createCollections, loadCollections } from "./schema.ts";
import {
  applyRows,
  type Contents,
  compareCollections,
  copyCollections,
  createContents,
  listRowChanges,
  makeWorld,
  type SharedHooks,
  type World,
} from "./world.ts";

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
  /** Throws a StoreError when the entry can't be stored. `records`: a copy of all records of a world that is replaced. */
  append(draft: WorldDraft, records?: WorldRecords): void;
  /** Stores a part of a world that is not visible to requests yet. */
  appendPart(draft: WorldDraft): void;
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
  readonly #worlds = new Map<string, { world: World; collections: Collections }>();
  readonly #snapshots = new Map<string, Collections>();
  /** Worlds that are stored part by part. */
  readonly #staged = new Map<string, Collections>();
  /** The ids of the templates that are in the store. */
  readonly #templates = new Set<string>();
  #lastStaged = 0;

  constructor(hooks: WorldsHooks, state: State | null) {
    this.#hooks = hooks;
    for (const stored of state ?? []) this.#load(...stored);
  }

  get(id: string): World | undefined {
    return this.#worlds.get(id)?.world;
  }

  all(): World[] {
    return Array.from(this.#worlds.values(), ({ world }) => world);
  }

  /** Creates a world, which owns the collections from now on. */
  create(id: string, collections: Collections, template: Template): World {
    return this.#put(id, collections, this.#storeTemplate(template), "created");
  }

  /** Copies a world to another id. Both share all data until one of the two changes. `prepare` changes the copy. */
  fork(id: string, as: string, prepare: (fork: World) => void, changes: readonly RowChange[] = []): World {
    const original = this.#collectionsOf(id);
    const collections = copyCollections(original);
    applyRows(collections, changes);
    prepare(this.#copyWorld(as, id, collections));
    return this.#put(as, collections, { id, collections: original }, "fork");
  }

  /** Replaces the collections of a world; its keys, tokens and pinned subscriptions stay. */
  replace(id: string, collections: Collections, template: Template): World {
    return this.#reload(id, collections, this.#storeTemplate(template), "reset");
  }

  drop(id: string): void {
    this.#remove(id);
    this.close(id);
  }

  /** Loads a world with its snapshots from the state of the store. */
  load(id: string, state: State): World {
    for (const stored of state) this.#load(...stored);
    const found = this.get(id);
    if (!found) throw new Error(`there is no world ${id} in its state`);
    return found;
  }

  /** Takes a world with its snapshots out of memory; the store keeps both. */
  close(id: string): void {
    for (const name of this.listSnapshots(id)) this.#snapshots.delete(toKey(id, name));
    this.#worlds.delete(id);
  }

  /**
   * Copies a world for bulk work, which produces no webhook messages. The copy is invisible to requests until it
   * replaces the world.
   */
  createBulkCopy(id: string) {
    const original = copyCollections(this.#collectionsOf(id));
    const collections = copyCollections(original);
    /** Lists the records that the bulk work has written, each once. */
    const listChanges = () => compareCollections(original, collections).map(toRowChange);
    return {
      world: this.#copyWorld(id, id, collections),
      staged: this.#stage(id, collections, id),
      changes: listChanges,
    };
  }

  /** Creates an empty world, which is invisible to requests until it replaces this one. */
  stage(id: string): Staged {
    return this.#stage(id, createCollections(), null);
  }

  listSnapshots(id: string): string[] {
    return [...this.#snapshots.keys()]
      .filter((key) => key.startsWith(id + SNAPSHOT_MARK))
      .map((key) => key.slice(id.length + 1));
  }

  /** `wall` is the real time, which only the caller may read. */
  save(id: string, name: string, wall: Instant, now: Instant): void {
    const original = this.#collectionsOf(id);
    const collections = copyCollections(original);
    const identity = collections.identity.get("identity");
    if (identity) collections.identity.set("identity", { ...identity, saved: { wall, now } });
    this.#appendState(toKey(id, name), collections, { id, collections: original }, "snapshot");
    this.#snapshots.set(toKey(id, name), collections);
  }

  restore(id: string, name: string): World {
    const saved = this.#snapshots.get(toKey(id, name));
    if (!saved) throw new Error(`world ${id} has no snapshot ${name}`);
    const fresh = copyCollections(saved);
    const { saved: _, ...identity } = fresh.identity.get("identity") ?? {};
    applyRows(fresh, [["identity", "identity", identity as Row]]);
    return this.#reload(id, fresh, { id: toKey(id, name), collections: saved }, "restore");
  }

  forget(id: string, name: string): void {
    this.#remove(toKey(id, name));
    this.#snapshots.delete(toKey(id, name));
  }

  findSnapshot(id: string, name: string): Contents | undefined {
    const saved = this.#snapshots.get(toKey(id, name));
    return saved && createContents(saved);
  }

  /** Copies all worlds for a snapshot of the store. It has no templates, so they are stored again at their next use. */
  copyState(only?: ReadonlySet<string>): State {
    this.#templates.clear();
    const worlds = Array.from(this.#worlds, ([id, { collections }]) => [id, collections] as const);
    return [...worlds, ...this.#snapshots, ...this.#staged]
      .filter(([id]) => only?.has(id) ?? true)
      .map(([id, collections]) => [id, toRecords(copyCollections(collections))]);
  }

  #load(id: string, stored: Iterable<readonly [string, Iterable<Row>]>): void {
    const collections = loadCollections(stored);
    if (id.includes(SNAPSHOT_MARK)) this.#snapshots.set(id, collections);
    else this.#open(id, collections);
  }

  #open(id: string, collections: Collections): World {
    const append = (commit: CommitContent) => this.#hooks.append({ world: id, kind: "commit", ...commit });
    const world = makeWorld(id, { ...this.#hooks.createHooks(id), append }, collections);
    this.#worlds.set(id, { world, collections });
    return world;
  }

  /** Creates a world whose commits are not stored, with the assumptions of the world `from`. */
  #copyWorld(id: string, from: string, collections: Collections): World {
    const { assumes, address } = this.#hooks.createHooks(from);
    return makeWorld(id, { assumes, address, append: () => undefined }, collections);
  }

  #collectionsOf(id: string): Collections {
    const collections = this.#worlds.get(id)?.collections;
    if (!collections) throw new Error(`there is no world ${id}`);
    return collections;
  }

  /** Replaces a world, which keeps its credentials, pinned subscriptions and sequences. */
  #reload(id: string, fresh: Collections, original: Template, why: Beginning): World {
    const own = this.#collectionsOf(id);
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
    this.#hooks.append(draft, toRecords(copyCollections(collections)));
  }

  #remove(world: string): void {
    // The stored instant is used, because the clock of a broken world can't be read.
    const at = this.#worlds.get(world)?.collections.clock.get("clock")?.at ?? "";
    this.#hooks.append({ world, kind: "state", at, replaced: "gone" });
  }

  /** A template is stored when the first world is copied from it. */
  #storeTemplate(template: Template): Template {
    if (this.#templates.has(template.id)) return template;
    const rows = listRowChanges(template.collections);
    for (let at = 0; at === 0 || at < rows.length; at += ROWS_PER_PART)
      this.#appendPart(template.id, rows.slice(at, at + ROWS_PER_PART), at === 0 ? { from: null } : undefined);
    this.#templates.add(template.id);
    return template;
  }

  #appendPart(world: string, rows: readonly RowChange[], replaced?: Replacement): void {
    const changes = rows.map(([collection, id, after]) => ({ collection, id, before: null, after }));
    this.#hooks.appendPart({ world, kind: "state", at: "", changes, ...(replaced ? { replaced } : {}) });
  }

  #stage(id: string, collections: Collections, from: string | null): Staged {
    const key = SNAPSHOT_MARK + ++this.#lastStaged;
    const write = (changes: readonly RowChange[]) => {
      this.#appendPart(key, changes, this.#staged.has(key) ? undefined : { from });
      this.#staged.set(key, collections);
    };
    const drop = () => {
      // The staged world stays in the file of a full disk until the next start.
      try {
        if (this.#staged.delete(key)) this.#appendPart(key, [], "gone");
      } catch {}
    };
    const store: Staged["store"] = async (rows, isWanted) => {
      const slice = new Slice();
      let isStored = false;
      try {
        for (let at = 0; at < rows.length && isWanted(); at += ROWS_PER_PART) {
          write(rows.slice(at, at + ROWS_PER_PART));
          if (slice.isOver) await slice.pause();
        }
        isStored = isWanted();
        return isStored;
      } finally {
        if (!isStored) drop();
      }
    };
    const takeOver = () => {
      try {
        if (!this.#staged.has(key)) write([]);
        const original = { id: key, collections: copyCollections(collections) };
        return this.#reload(id, collections, original, from === null ? "import" : "populate");
      } finally {
        drop();
      }
    };
    return { collections, write, store, takeOver, drop };
  }
}

/** A world that is stored part by part. It takes effect only once it replaces the current world. */
export interface Staged {
  readonly collections: Collections;
  /** Stores records that are in the collections already. */
  write(rows: readonly RowChange[]): void;
  /**
   * Stores records with turns for other requests in between. Returns false if the world is no longer wanted. All parts
   * are removed then, and also if the store throws.
   */
  store(rows: readonly RowChange[], isWanted: () => boolean): Promise<boolean>;
  /** Replaces the current world, whose keys and tokens stay. */
  takeOver(): World;
  drop(): void;
}

const toRowChange = ({ collection, id, after }: CommittedChange): RowChange => [collection, id, after];

/** Returns iterables that can be read more than once. */
export function toRecords(collections: Collections): WorldRecords {
  return Object.entries(collections).map(([name, rows]) => {
    const all = { [Symbol.iterator]: () => (rows.all() as Iterable<Row>)[Symbol.iterator]() };
    return [name, all] as const;
  });
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
