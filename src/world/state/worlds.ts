// All worlds of one sandbox, and their named snapshots. Each change of a world is appended to the store as one log record, so that
// memory and disk can't differ.
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Change, LogRecord, Row, StateDump } from "../store/log-records.ts";
import type { Committed } from "./commit.ts";
import { type Collections, credentials, filledCollections, names } from "./schema.ts";
import { RecordSerializer } from "./serialized-record.ts";
import { inPlaceOf } from "./went-back.ts";
import {
  type Contents,
  contentsOf,
  copyCollections,
  makeWorld,
  placeRows,
  rowsOf,
  type SharedHooks,
  serializeRecords,
  type World,
  type WorldHooks,
} from "./world.ts";

export interface Worlds {
  get(id: string): World | undefined;
  all(): World[];
  /** A new world, which owns these collections from now on. */
  create(id: string, collections: Collections): World;
  /** A copy of a world under another id, which shares all data until one of the two changes; `changes` are made in the copy. */
  fork(id: string, as: string, changes?: readonly Change[]): World;
  /** Replaces the collections of a world; its keys, tokens and pinned subscriptions stay. */
  replace(id: string, collections: Collections): World;
  drop(id: string): void;
  /** Puts a world with its snapshots here, as the store has it. */
  load(id: string, state: StateDump): World;
  /** Takes a world with its snapshots out of memory; the store keeps both. */
  close(id: string): void;
  /**
   * The same world for bulk work: it produces no webhook messages and no log records; call the sandbox's `writeDown` afterwards. Records
   * that it wrote some time ago are stored as text: V8 would collect garbage among 10 GB of objects otherwise.
   */
  bulkWriter(id: string): World;
  /** The same for a copy of the world, which nobody else sees until it takes the world's place. */
  bulkCopy(id: string): { world: World; place(): World };
  snapshots(id: string): string[];
  /** `wall` is the real time, which only the caller may read. */
  save(id: string, name: string, wall: Instant, now: Instant): void;
  restore(id: string, name: string): World;
  forget(id: string, name: string): void;
  /** What a snapshot holds. */
  snapshotOf(id: string, name: string): Contents | undefined;
  /** The present state, frozen, for the store: of these worlds and snapshots, or of all. */
  view(only?: ReadonlySet<string>): StateDump;
}

/** Records of bulk work that are still likely to change. */
const MOST_LATEST = 50_000;

export interface WorldsHooks {
  hooksOf(id: string): SharedHooks;
  /** Bulk work is left out: it makes another world, whose history begins anew. */
  committed(world: World, commit: Committed): void;
  /** The log record is made only when there is a store. */
  append(record: () => LogRecord): void;
}

const AT = "@";

export function openWorlds(hooks: WorldsHooks, kept: StateDump | null): Worlds {
  const worlds = new Map<string, { world: World; collections: Collections }>();
  const snapshotOf = new Map<string, Collections>();
  const keep = (world: string, changes: () => readonly Change[]) =>
    hooks.append(() => ({ commit: world, changes: changes() }));
  const forgetAll = (keys: readonly string[]) => {
    if (keys.length > 0) hooks.append(() => ({ drop: keys }));
    for (const key of keys) snapshotOf.delete(key);
  };
  const load = (id: string, collections: Collections): World => {
    const committed = (commit: Committed) => hooks.committed(world, commit);
    const world: World = makeWorld(id, { ...hooks.hooksOf(id), keep, committed }, collections);
    worlds.set(id, { world, collections });
    return world;
  };
  const close = (id: string) => {
    worlds.delete(id);
    for (const name of namesOf(snapshotOf, id)) snapshotOf.delete(id + AT + name);
  };
  const loadAll = (state: StateDump) => {
    for (const [id, stored] of state) {
      const collections = filledCollections(stored);
      if (id.includes(AT)) snapshotOf.set(id, collections);
      else load(id, collections);
    }
  };
  loadAll(kept ?? []);
  // Older versions removed a world and its snapshots in two steps, and may have been killed between them.
  forgetAll([...snapshotOf.keys()].filter((key) => !worlds.has(key.slice(0, key.indexOf(AT)))));
  const collectionsOf = (id: string): Collections => {
    const collections = worlds.get(id)?.collections;
    if (!collections) throw new Error(`there is no world ${id}`);
    return collections;
  };
  const reload = (id: string, fresh: Collections): World => {
    const own = collectionsOf(id);
    for (const name of credentials) for (const row of [...fresh[name].all()]) fresh[name].set(row.id, null);
    for (const name of credentials) placeRows(fresh, changesOf(name, own[name].all()));
    keepPinned(fresh.subscriptions, own.subscriptions);
    const counters = inPlaceOf(own.counters.get("counters"), fresh.counters.get("counters"));
    if (counters) fresh.counters.set("counters", counters);
    hooks.append(() => ({ load: id, rows: [...rowsOf(fresh)] }));
    return load(id, fresh);
  };
  return {
    get: (id) => worlds.get(id)?.world,
    all: () => Array.from(worlds.values(), ({ world }) => world),
    create(id, collections) {
      hooks.append(() => ({ load: id, rows: [...rowsOf(collections)] }));
      return load(id, collections);
    },
    fork(id, as, changes = []) {
      const collections = copyCollections(collectionsOf(id));
      placeRows(collections, changes);
      hooks.append(() => ({ clone: id, as, ...(changes.length > 0 ? { changes } : {}) }));
      return load(as, collections);
    },
    replace: (id, collections) => reload(id, collections),
    drop(id) {
      forgetAll([id, ...namesOf(snapshotOf, id).map((name) => id + AT + name)]);
      worlds.delete(id);
    },
    load(id, state) {
      loadAll(state);
      const found = worlds.get(id);
      if (!found) throw new Error(`there is no world ${id} in its state`);
      return found.world;
    },
    close,
    bulkWriter: (id) => bulkWriterOf(id, hooks, collectionsOf(id)),
    bulkCopy(id) {
      const copy = copyCollections(collectionsOf(id));
      return { world: bulkWriterOf(id, hooks, copy), place: () => reload(id, copy) };
    },
    snapshots: (id) => namesOf(snapshotOf, id),
    save(id, name, wall, now) {
      const collections = copyCollections(collectionsOf(id));
      const identity = collections.identity.get("identity");
      const saved = identity && ({ ...identity, saved: { wall, now } } as Row);
      const changes: Change[] = saved ? [["identity", "identity", saved]] : [];
      placeRows(collections, changes);
      hooks.append(() => ({ clone: id, as: id + AT + name, changes }));
      snapshotOf.set(id + AT + name, collections);
    },
    snapshotOf(id, name) {
      const saved = snapshotOf.get(id + AT + name);
      return saved && contentsOf(saved);
    },
    restore(id, name) {
      const saved = snapshotOf.get(id + AT + name);
      if (!saved) throw new Error(`world ${id} has no snapshot ${name}`);
      const fresh = copyCollections(saved);
      const { saved: _, ...identity } = fresh.identity.get("identity") ?? {};
      placeRows(fresh, [["identity", "identity", identity as Row]]);
      return reload(id, fresh);
    },
    forget: (id, name) => forgetAll([id + AT + name]),
    view(only) {
      const isWanted = ([id]: readonly [string, unknown]) => only?.has(id) ?? true;
      const loaded = [...worlds]
        .filter(isWanted)
        .map(([id, { collections }]) => [id, copyCollections(collections)] as const);
      const frozen = [...loaded, ...[...snapshotOf].filter(isWanted)];
      return frozen.map(
        ([id, collections]) => [id, names.map((name) => [name, collections[name].stored()] as const)] as const,
      );
    },
  };
}

function bulkWriterOf(id: string, hooks: WorldsHooks, collections: Collections): World {
  const { assumes, address } = hooks.hooksOf(id);
  const serializer = new RecordSerializer();
  const latest: Change[] = [];
  const keep: WorldHooks["keep"] = (_, changes) => {
    for (const change of changes()) latest.push(change);
    if (latest.length > MOST_LATEST) serializeRecords(collections, latest.splice(0), serializer);
  };
  return makeWorld(id, { assumes, address, keep }, collections);
}

/** The pinned subscriptions are those of now. One that was pinned in the other state is an ordinary one, or gone where it is a twin. */
function keepPinned(fresh: Collections["subscriptions"], own: Collections["subscriptions"]): void {
  const pinned = [...own.all()].filter((subscription) => subscription.pinned);
  for (const { pinned: was, ...other } of [...fresh.all()])
    if (was) fresh.set(other.id, pinned.some(({ url }) => url === other.url) ? null : other);
  for (const subscription of pinned) fresh.set(subscription.id, subscription);
}

function changesOf(name: string, rows: Iterable<{ id: string }>): Change[] {
  return Array.from(rows, (row) => [name, row.id, row] as const);
}

function namesOf(snapshotOf: Map<string, Collections>, id: string): string[] {
  return [...snapshotOf.keys()].filter((key) => key.startsWith(id + AT)).map((key) => key.slice(id.length + 1));
}
