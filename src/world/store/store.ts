// The durable store. Lowdb holds the snapshot, one readable JSON file; between snapshots every commit is one record in a journal
// beside it, `<file>.journal.<generation>`. A snapshot of generation g holds everything of the journals before g, so at any
// moment of a compaction the files tell the whole: the snapshot, then the journals from its own on. From the first commit until it is
// closed, a snapshot says that a journal belongs to it, and a record says which one it stands behind: what is missing is noticed.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { takeLock } from "./lock-file.ts";
import type { StateDump } from "./log-records.ts";
import { generationsOf, numberedPath, removeNumbered } from "./numbered-files.ts";
import { type Recovered, recover } from "./recover.ts";
import { syncFolder } from "./snapshot-file.ts";
import { isMarkable, mark } from "./snapshot-mark.ts";
import { FORMAT, hex, type Snapshot } from "./snapshot-text.ts";
import { merged, readAll, write } from "./snapshots.ts";
import { explain, StoreError } from "./store-error.ts";
import type { Durability, Store } from "./store-interface.ts";
import { placeOf } from "./store-place.ts";
import { type Start, WalStore } from "./wal-store.ts";
import { Journal } from "./wal-writer.ts";
import { WorldIndex } from "./world-index.ts";

export type { Change, LogRecord, Row, StateDump } from "./log-records.ts";
export { StoreError } from "./store-error.ts";
export type { Durability, Store, View } from "./store-interface.ts";

type Options = { durability?: Durability; fresh?: boolean };
type Opened = { store: Store; kept: StateDump | null; warnings: string[] };
/** The newest snapshot in place, and the log to go on with where there is one. */
type Base = { written: number; after: string; last: Recovered["last"]; older: number };

export async function openStore(file: string, { durability = "os", fresh = false }: Options = {}): Promise<Opened> {
  const path = placeOf(file);
  const release = takeLock(path);
  try {
    const snapshots = fresh ? [] : await readAll(path);
    const snapshot = merged(snapshots);
    const index = new WorldIndex(snapshots);
    const found = fresh ? null : await recover(path, snapshot, index);
    const base = (await baseIn(path, snapshot, found)) ?? (await makeBase(path, index, snapshot, found));
    const start = await begin(path, base, index);
    const store = new WalStore(path, start, { durability, index, release });
    return { store, kept: found?.state ?? null, warnings: found?.warnings ?? [] };
  } catch (error) {
    release();
    throw explain(`Cannot open ${path}`, error);
  }
}

/** What is there, where it can be gone on with as it is. */
async function baseIn(path: string, snapshot: Snapshot | null, found: Recovered | null): Promise<Base | null> {
  if (!snapshot?.after || !found?.sound || !(await isMarkable(path))) return null;
  return { written: snapshot.generation, after: snapshot.after, last: found.last, older: found.older };
}

/** Writes what was found, or nothing, as a data file that is newer than every other file, so that none of those counts. */
async function makeBase(
  path: string,
  index: WorldIndex,
  snapshot: Snapshot | null,
  found: Recovered | null,
): Promise<Base> {
  const others = [...(await generationsOf(path, "journal")), ...(await generationsOf(path, "snapshot"))];
  const generation = Math.max(...others, snapshot?.generation ?? 0, 0) + 1;
  // Unlike that of any other store, so that no log of theirs fits.
  const after = hex(crc32(`${process.pid} ${process.hrtime.bigint()}`));
  const base = { format: FORMAT, generation, after, open: false, state: found?.state ?? [], sizes: new Map() };
  await write(path, base);
  index.wrote(base);
  return { written: generation, after, last: null, older: 0 };
}

/** The log is there before the data file says so, and the data file says so before anything is written to the log. */
async function begin(path: string, { written, after, last, older }: Base, index: WorldIndex): Promise<Start> {
  const generation = last?.generation ?? written;
  await removeNumbered(path, "journal", (other) => other < written || other > generation);
  await removeNumbered(path, "snapshot", (other) => !index.uses(other));
  await rm(`${path}.tmp`, { force: true });
  const file = numberedPath(path, "journal", generation);
  const journal = last ? Journal.resume(file, last.place) : Journal.begin(file, generation, Number.parseInt(after, 16));
  await syncFolder(dirname(path));
  if (!(await mark(path, true))) throw new StoreError(`${path} was changed while it was opened; try again`);
  return { written, generation, journal, older };
}
