// The durable store. Lowdb holds the snapshot, one readable JSON file; between snapshots every commit is one line in a journal
// beside it, `<file>.journal.<generation>`. A snapshot of generation g holds everything of the journals before g, so at any
// moment of a compaction the files tell the whole: the snapshot, then the journals from its own on.
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Adapter, Low } from "lowdb";
import type { Kept } from "./kept.ts";
import { takeLock } from "./lock-file.ts";
import { journalsOf, recover, removeJournals } from "./recover.ts";
import { RunningStore, type Start } from "./running-store.ts";
import { readSnapshot, syncFolder, writeSnapshot } from "./snapshot-file.ts";
import type { Snapshot } from "./snapshot-text.ts";
import { explain } from "./store-error.ts";
import type { Durability, Store } from "./store-interface.ts";

export type { Change, Kept, Line, Row } from "./kept.ts";
export { StoreError } from "./store-error.ts";
export type { Durability, Store } from "./store-interface.ts";

type Options = { durability?: Durability; fresh?: boolean };
type Opened = { store: Store; kept: Kept | null; warnings: string[] };
type Database = { low: Low<Snapshot | null>; size(): number };
type Found = Start & Omit<Opened, "store">;

export async function openStore(file: string, { durability = "os", fresh = false }: Options = {}): Promise<Opened> {
  const path = place(file);
  const release = takeLock(path);
  try {
    const database = openDatabase(path);
    const opened = fresh ? null : await existing(path, database.low);
    const { kept, warnings, ...start } = opened ?? (await begin(path, database.low));
    await removeJournals(path, start.written);
    await rm(`${path}.tmp`, { force: true });
    const snapshots = { size: database.size, write: (snapshot: Snapshot) => write(database.low, snapshot) };
    const store = new RunningStore(path, start, { durability, snapshots, release });
    await syncFolder(dirname(path));
    return { store, kept, warnings };
  } catch (error) {
    release();
    throw explain(`Cannot open ${path}`, error);
  }
}

/** The file's one true path, so that two names for it find the same lock; its folder is made when it is missing. */
function place(file: string): string {
  const path = resolve(file);
  try {
    mkdirSync(dirname(path), { recursive: true });
    return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    throw explain(`Cannot make the folder of ${path}`, error);
  }
}

function openDatabase(path: string): Database {
  let size = 0;
  const adapter: Adapter<Snapshot | null> = {
    async read() {
      const snapshot = await readSnapshot(path);
      if (snapshot) size = statSync(path).size;
      return snapshot;
    },
    async write(snapshot) {
      if (snapshot) size = await writeSnapshot(path, snapshot);
    },
  };
  return { low: new Low(adapter, null), size: () => size };
}

async function existing(path: string, low: Low<Snapshot | null>): Promise<Found | null> {
  await low.read();
  const recovered = await recover(path, low.data);
  const written = low.data?.generation ?? 0;
  low.data = null;
  return recovered && { ...recovered, written };
}

/** An empty snapshot, newer than every journal there may be: once it is in place, whatever was there before is void. */
async function begin(path: string, low: Low<Snapshot | null>): Promise<Found> {
  const generation = ((await journalsOf(path)).at(-1) ?? 0) + 1;
  await write(low, { generation, kept: [] });
  return { written: generation, generation, length: 0, older: 0, kept: null, warnings: [] };
}

/** The worlds live elsewhere; a view that is held on to would keep every removed record alive, so it is let go. */
async function write(low: Low<Snapshot | null>, snapshot: Snapshot): Promise<void> {
  low.data = snapshot;
  try {
    await low.write();
  } finally {
    low.data = null;
  }
}
