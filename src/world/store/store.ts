// The durable store. Lowdb holds the snapshot, one readable JSON file; between snapshots every commit is one record in a journal
// beside it, `<file>.journal.<generation>`. A snapshot of generation g holds everything of the journals before g, so at any
// moment of a compaction the files tell the whole: the snapshot, then the journals from its own on. From the first commit until it is
// closed, a snapshot says that a journal belongs to it, and a record says which one it stands behind: what is missing is noticed.
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { type Adapter, Low } from "lowdb";
import { takeLock } from "./lock-file.ts";
import type { StateDump } from "./log-records.ts";
import { type Recovered, recover } from "./recover.ts";
import { readSnapshot, syncFolder, writeSnapshot } from "./snapshot-file.ts";
import { isMarkable, mark } from "./snapshot-mark.ts";
import { hex, type Snapshot } from "./snapshot-text.ts";
import { explain, StoreError } from "./store-error.ts";
import type { Durability, Store } from "./store-interface.ts";
import { placeOf } from "./store-place.ts";
import { journalPath, journalsOf, removeJournals } from "./wal-files.ts";
import { type Snapshots, type Start, WalStore } from "./wal-store.ts";
import { Journal } from "./wal-writer.ts";

export type { Change, LogRecord, Row, StateDump } from "./log-records.ts";
export { StoreError } from "./store-error.ts";
export type { Durability, Store } from "./store-interface.ts";

type Options = { durability?: Durability; fresh?: boolean };
type Opened = { store: Store; kept: StateDump | null; warnings: string[] };
/** The snapshot in place, and the journal to go on with where there is one. */
type Base = { written: number; after: string; last: Recovered["last"]; older: number };

export async function openStore(file: string, { durability = "os", fresh = false }: Options = {}): Promise<Opened> {
  const path = placeOf(file);
  const release = takeLock(path);
  try {
    const snapshots = snapshotsIn(path);
    const snapshot = fresh ? null : await snapshots.read();
    const found = fresh ? null : await recover(path, snapshot);
    const base = (await baseIn(path, snapshot, found)) ?? (await makeBase(path, snapshots, snapshot, found));
    const start = await begin(path, base);
    const store = new WalStore(path, start, { durability, snapshots, release });
    return { store, kept: found?.kept ?? null, warnings: found?.warnings ?? [] };
  } catch (error) {
    release();
    throw explain(`Cannot open ${path}`, error);
  }
}

/** The worlds live elsewhere; what Lowdb is given would keep every removed record alive, so it is let go. */
function snapshotsIn(path: string): Snapshots & { read(): Promise<Snapshot | null> } {
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
  const low = new Low(adapter, null);
  const letGo = <T>(value: T): T => {
    low.data = null;
    return value;
  };
  return {
    size: () => size,
    read: () => low.read().then(() => letGo(low.data)),
    write(snapshot) {
      low.data = snapshot;
      return low.write().finally(() => letGo(undefined));
    },
  };
}

/** What is there, where it can be gone on with as it is. */
async function baseIn(path: string, snapshot: Snapshot | null, found: Recovered | null): Promise<Base | null> {
  if (!snapshot?.after || !found?.sound || !(await isMarkable(path))) return null;
  return { written: snapshot.generation, after: snapshot.after, last: found.last, older: found.older };
}

/** Writes down what was found, or nothing, newer than every journal there may be: once it is in place, those are void. */
async function makeBase(
  path: string,
  snapshots: Snapshots,
  snapshot: Snapshot | null,
  found: Recovered | null,
): Promise<Base> {
  const written = Math.max((await journalsOf(path)).at(-1) ?? 0, snapshot?.generation ?? 0) + 1;
  // Unlike that of any other store, so that no journal of theirs fits.
  const after = hex(crc32(`${process.pid} ${process.hrtime.bigint()}`));
  await snapshots.write({ generation: written, after, open: false, kept: found?.kept ?? [] });
  return { written, after, last: null, older: 0 };
}

/** The journal is there before the snapshot says so, and the snapshot says so before anything is kept in it. */
async function begin(path: string, { written, after, last, older }: Base): Promise<Start> {
  const generation = last?.generation ?? written;
  await removeJournals(path, (other) => other < written || other > generation);
  await rm(`${path}.tmp`, { force: true });
  const file = journalPath(path, generation);
  const journal = last ? Journal.resume(file, last.place) : Journal.begin(file, generation, Number.parseInt(after, 16));
  await syncFolder(dirname(path));
  if (!(await mark(path, true))) throw new StoreError(`${path} was changed while it was opened; try again`);
  return { written, generation, journal, older };
}
