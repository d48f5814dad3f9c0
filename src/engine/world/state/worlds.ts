// All worlds of one sandbox, and their named snapshots. Each change of a world is appended to the store as one log record, so that
// memory and disk can't differ.
import type { Instant } from "../../domain/kernel/instant.ts";
import type { EntryDraft } from "../../log/entry.ts";
import type { Change, LogRecord, Row, StateDump } from "../store/log-records.ts";
import type { Changed, Committed } from "./commit.ts";
import { type Collections, credentials, emptyCollections, filledCollections, type Name } from "./schema.ts";
import { replacing } from "./went-back.ts";
import {
  applyRows,
  type Contents,
  contentsOf,
  copyCollections,
  makeWorld,
  rowsOf,
  type SharedHooks,
  type World,
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
  /** The same world for bulk work: it produces no webhook messages and no log records; call the sandbox's `writeDown` afterwards. */
  bulkWriter(id: string): World;
  /** The same for a copy of the world, which nobody else sees until it takes the world's place. */
  bulkCopy(id: string): BulkCopy;
  /** An empty world, which nobody sees until it takes the place of this one. */
  stage(id: string): Staged;
  snapshots(id: string): string[];
  /** `wall` is the real time, which only the caller may read. */
  save(id: string, name: string, wall: Instant, now: Instant): void;
  restore(id: string, name: string): World;
  forget(id: string, name: string): void;
  /** What a snapshot holds. */
  snapshotOf(id: string, name: string): Contents | undefined;
  /** The present state, frozen, for the store, which reads it once: of these worlds and snapshots, or of all. */
  view(only?: ReadonlySet<string>): StateDump;
}

/** A world in the making, stored bit by bit: it is there as a whole once it is placed, and not at all before. */
export interface Staged {
  readonly collections: Collections;
  /** It begins as a copy of the world, in the store too. */
  copied(): void;
  /** Stores records that the collections have already. */
  write(changes: readonly Change[]): void;
  /** In the world's place; its keys and tokens stay. */
  takeOver(): World;
  drop(): void;
}

export interface BulkCopy {
  world: World;
  staged: Staged;
  /** What the bulk work has written, each record once. */
  changes(): Iterable<Change>;
}

/** An entry of a world, before the log gives it its cause and its number. */
export type WorldEntry = Committed & Pick<EntryDraft, "world" | "kind">;

interface WorldsHooks {
  hooksOf(id: string): SharedHooks;
  /** Appends the commits of worlds to the log. Bulk work is left out: it makes another world, whose past begins with it. */
  append(entry: WorldEntry): void;
  /** The log record is made only when there is a store. */
  store(record: () => LogRecord): void;
  /** Whether a world may be stored bit by bit under another name and put in the place of one that is there. */
  readonly stages: boolean;
}

const AT = "@";

export function openWorlds(hooks: WorldsHooks, dump: StateDump | null): Worlds {
  const worlds = new Map<string, { world: World; collections: Collections }>();
  const snapshotOf = new Map<string, Collections>();
  const forgetAll = (keys: readonly string[]) => {
    if (keys.length > 0) hooks.store(() => ({ drop: keys }));
    for (const key of keys) snapshotOf.delete(key);
  };
  const loadOf = (id: string, collections: Collections): LogRecord => ({ load: id, rows: [...rowsOf(collections)] });
  const load = (id: string, collections: Collections): World => {
    const append = (commit: Committed) => hooks.append({ world: id, kind: "commit", ...commit });
    const world: World = makeWorld(id, { ...hooks.hooksOf(id), append }, collections);
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
  loadAll(dump ?? []);
  // Older versions removed a world and its snapshots in two steps, and may have been killed between them.
  forgetAll([...snapshotOf.keys()].filter((key) => !worlds.has(key.slice(0, key.indexOf(AT)))));
  const collectionsOf = (id: string): Collections => {
    const collections = worlds.get(id)?.collections;
    if (!collections) throw new Error(`there is no world ${id}`);
    return collections;
  };
  /** `as`: under which name the store has the same, but for these changes and the credentials. */
  const reload = (id: string, fresh: Collections, as?: { key: string; changes: readonly Change[] }): World => {
    const own = collectionsOf(id);
    const counters = replacing(own.counters.get("counters"), fresh.counters.get("counters"));
    const retained: Change[] = [
      ...credentials.flatMap((name): Change[] => [
        ...changesOf(name, fresh[name].all()).map(([, key]): Change => [name, key, null]),
        ...changesOf(name, own[name].all()),
      ]),
      ...pinnedOf(fresh.subscriptions, own.subscriptions),
      ...(counters ? changesOf("counters", [counters]) : []),
    ];
    applyRows(fresh, retained);
    hooks.store(() =>
      as && hooks.stages ? { clone: as.key, as: id, changes: [...as.changes, ...retained] } : loadOf(id, fresh),
    );
    return load(id, fresh);
  };
  let lastStaged = 0;
  const stage = (id: string, collections: Collections): Staged => {
    // A snapshot of no world: the next start removes what a kill left of it.
    const key = AT + ++lastStaged;
    const drop = () => {
      if (snapshotOf.has(key)) forgetAll([key]);
    };
    // On a full disk it stays beside the worlds until the next start.
    const dropQuietly = () => {
      try {
        drop();
      } catch {}
    };
    return {
      collections,
      copied() {
        if (!hooks.stages) return;
        snapshotOf.set(key, collections);
        hooks.store(() => ({ clone: id, as: key }));
      },
      write(changes) {
        if (!hooks.stages || changes.length === 0) return;
        snapshotOf.set(key, collections);
        hooks.store(() => ({ commit: key, changes, grows: changes.length }));
      },
      takeOver() {
        try {
          return reload(id, collections, { key, changes: [] });
        } finally {
          dropQuietly();
        }
      },
      drop,
    };
  };
  return {
    get: (id) => worlds.get(id)?.world,
    all: () => Array.from(worlds.values(), ({ world }) => world),
    create(id, collections) {
      hooks.store(() => loadOf(id, collections));
      return load(id, collections);
    },
    fork(id, as, changes = []) {
      const collections = copyCollections(collectionsOf(id));
      applyRows(collections, changes);
      hooks.store(() => ({ clone: id, as, ...(changes.length > 0 ? { changes } : {}) }));
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
      const written = new Map<Name, Set<string>>();
      return {
        world: bulkWriterOf(id, hooks, copy, written),
        staged: stage(id, copy),
        changes: () => latestOf(copy, written),
      };
    },
    stage: (id) => stage(id, emptyCollections()),
    snapshots: (id) => namesOf(snapshotOf, id),
    save(id, name, wall, now) {
      const collections = copyCollections(collectionsOf(id));
      const identity = collections.identity.get("identity");
      const saved = identity && ({ ...identity, saved: { wall, now } } as Row);
      const changes: Change[] = saved ? [["identity", "identity", saved]] : [];
      applyRows(collections, changes);
      hooks.store(() => ({ clone: id, as: id + AT + name, changes }));
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
      const changes: Change[] = [["identity", "identity", identity as Row]];
      applyRows(fresh, changes);
      return reload(id, fresh, { key: id + AT + name, changes });
    },
    forget: (id, name) => forgetAll([id + AT + name]),
    view(only) {
      const isWanted = ([id]: readonly [string, unknown]) => only?.has(id) ?? true;
      const frozen = (collections: Collections) =>
        Object.entries(copyCollections(collections)).map(
          ([name, rows]) => [name, rows.all() as Iterable<Row>] as const,
        );
      const loaded = [...worlds].filter(isWanted).map(([id, { collections }]) => [id, frozen(collections)] as const);
      // A staged world is not finished: what is written of it while it grows is what it is now.
      const saved = [...snapshotOf].filter(isWanted).map(([id, collections]) => [id, frozen(collections)] as const);
      return [...loaded, ...saved];
    },
  };
}

/** What was written, as it is now. */
function* latestOf(collections: Collections, written: ReadonlyMap<Name, ReadonlySet<string>>): Generator<Change> {
  for (const [name, ids] of written)
    for (const id of ids) yield [name, id, (collections[name].get(id) as Row | undefined) ?? null];
}

/** `written`: gets the ids of what is written. */
function bulkWriterOf(
  id: string,
  hooks: WorldsHooks,
  collections: Collections,
  written?: Map<Name, Set<string>>,
): World {
  const { assumes, address } = hooks.hooksOf(id);
  const append = ({ changes }: Committed) => {
    if (written) for (const change of changes) noteIn(written, change);
  };
  return makeWorld(id, { assumes, address, append }, collections);
}

function noteIn(written: Map<Name, Set<string>>, { collection, id }: Changed): void {
  const ids = written.get(collection) ?? new Set();
  written.set(collection, ids.add(id));
}

/** The pinned subscriptions are those of now. One that was pinned in the other state is an ordinary one, or gone where it is a twin. */
function pinnedOf(fresh: Collections["subscriptions"], own: Collections["subscriptions"]): Change[] {
  const pinned = [...own.all()].filter((subscription) => subscription.pinned);
  const others = [...fresh.all()].flatMap(({ pinned: was, ...other }): Change[] =>
    was ? [["subscriptions", other.id, pinned.some(({ url }) => url === other.url) ? null : other]] : [],
  );
  return [...others, ...changesOf("subscriptions", pinned)];
}

function changesOf(name: string, rows: Iterable<{ id: string }>): Change[] {
  return Array.from(rows, (row) => [name, row.id, row] as const);
}

function namesOf(snapshotOf: Map<string, Collections>, id: string): string[] {
  return [...snapshotOf.keys()].filter((key) => key.startsWith(id + AT)).map((key) => key.slice(id.length + 1));
}
