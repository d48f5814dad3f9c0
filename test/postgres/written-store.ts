// A store of the database, and the log and the memory of worlds around it, as a sandbox has them.
import { randomUUID } from "node:crypto";
import type { Change as EntryChange, Replacement, Row, StoredEntry } from "../../src/engine/log/entry.ts";
import { ActivityLog } from "../../src/engine/log/log.ts";
import type { RowChange as Change } from "../../src/engine/world/state/commit.ts";
import { applyRows, createCollections, listRowChanges } from "../../src/engine/world/state/schema.ts";
import { openDatabase, type SharedStore } from "../../src/hosted/postgres/store.ts";

type Written =
  | { commit: string; changes: readonly Change[] }
  | { load: string; rows: readonly Change[] }
  | { clone: string; as: string; changes?: readonly Change[] }
  | { drop: string };

export type WrittenStore = SharedStore & { log: ActivityLog; put(written: Written): StoredEntry };

export const NAMES = { newId: randomUUID, credentialKey: "key", url: () => "http://node", version: "test" };

/** A node that is only a store. */
export async function openStore(database: string): Promise<WrittenStore> {
  const log = new ActivityLog(64 << 20);
  const { store } = await openDatabase(database, { ...NAMES, log, waitFor: 5, wall: Date.now, warn: () => undefined });
  return writtenStore(store, log);
}

export function writtenStore(store: SharedStore, log: ActivityLog): WrittenStore {
  const worlds = new Map<string, Map<string, Change>>();
  const recordsOf = (changes: Iterable<Change>) => {
    const collections = createCollections();
    applyRows(collections, changes);
    return collections;
  };
  store.copyState = (only) =>
    [...worlds].filter(([id]) => only?.has(id) ?? true).map(([id, rows]) => [id, recordsOf(rows.values())]);
  const append = (world: string, changes: readonly Change[], replaced?: Replacement, id = "created") => {
    const known = replaced && replaced !== "gone" && replaced.from !== null ? worlds.get(replaced.from) : undefined;
    const rows = new Map(replaced ? known : worlds.get(world));
    for (const change of changes) rows.set(`${change[0]} ${change[1]}`, change);
    const entryChanges = changes.map(([collection, key, after]): EntryChange => {
      return { collection, id: key, before: null, after: after as Row | null };
    });
    const records = replaced && replaced !== "gone" ? recordsOf(rows.values()) : undefined;
    const kind = replaced ? "state" : "commit";
    const entry = log.append(
      {
        world,
        kind,
        id,
        at: "2030-01-01T09:00:00Z",
        wall: 0,
        ...(replaced ? { replaced } : {}),
        changes: entryChanges,
      },
      undefined,
      records,
    );
    if (replaced === "gone") worlds.delete(world);
    else worlds.set(world, rows);
    return entry;
  };
  const acquire = store.acquire.bind(store);
  return Object.assign(store, {
    log,
    put(written: Written): StoredEntry {
      if ("commit" in written) return append(written.commit, written.changes, undefined, "act-1");
      if ("load" in written) return append(written.load, written.rows, { from: null });
      if ("drop" in written) return append(written.drop, [], "gone");
      const { clone, as, changes = [] } = written;
      return append(as, changes, { from: clone }, as.includes("@") ? "snapshot" : "fork");
    },
    async acquire(world: string) {
      const found = await acquire(world);
      if (found.is === "here")
        for (const [id, collections] of found.state)
          worlds.set(id, new Map(listRowChanges(collections).map((row) => [`${row[0]} ${row[1]}`, row])));
      return found;
    },
  });
}
