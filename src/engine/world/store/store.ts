// The durable store. The data file is a snapshot of all worlds, a readable JSON file; every later commit is one record in the log
// `<file>.journal.<generation>`. A compaction writes the worlds that have changed to `<file>.snapshot.<generation>`, or all worlds to the
// data file. A snapshot of generation g holds everything of the logs before g, so at any moment the state is the newest snapshot, and the
// logs from its generation on. Each file names the one that it follows by a checksum, so a missing file is noticed.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { dataFilePath } from "./data-file-path.ts";
import { takeLock } from "./lock-file.ts";
import type { StateDump } from "./log-records.ts";
import { generationsOf, numberedPath, removeNumbered } from "./numbered-files.ts";
import { type Recovered, recover } from "./recover.ts";
import { mustBeReplaceable } from "./replaceable.ts";
import { syncFolder } from "./snapshot-file.ts";
import { FORMAT, hex, type Snapshot } from "./snapshot-frame.ts";
import { isMarkable, mark } from "./snapshot-mark.ts";
import { edited, merged, readAll, write } from "./snapshots.ts";
import { explain, StoreError } from "./store-error.ts";
import type { Durability, Store } from "./store-interface.ts";
import { type Start, WalStore } from "./wal-store.ts";
import { LogWriter } from "./wal-writer.ts";
import { WorldIndex } from "./world-index.ts";

export type { Change, LogRecord, Row, StateDump } from "./log-records.ts";
export { type NumberBlock, type NumberBlocks, numbersBeside, numbersInMemory, numbersOfNode } from "./number-blocks.ts";
export { isQuotaError, isStoreError, StoreError } from "./store-error.ts";
export type {
  Acquired,
  ListedWorld,
  Making,
  OwnerLocation,
  SharedStore,
  Store,
  StoreFigures,
  StoreView,
} from "./store-interface.ts";

type Options = { durability?: Durability; fresh?: boolean };
/** `path`: of the data file; `isNew`: it was not there. */
type Opened = { store: Store; state: StateDump | null; warnings: string[]; path: string; isNew: boolean };
/** The generation of the newest snapshot, and the log to continue where there is one. */
type Base = { written: number; after: string; last: Recovered["last"]; older: number };

/**
 * Rejects with StoreError, and the files stay as they are. `durability`: "fsync" waits for the disk at each commit,
 * "os" leaves it to the system.
 */
export async function openStore(file: string, { durability = "os", fresh = false }: Options = {}): Promise<Opened> {
  const path = dataFilePath(file);
  // Before the lock, so that a foreign folder gets no file of ours.
  if (fresh) await mustBeReplaceable(path);
  // Before anything is read: another process may be writing.
  const release = await takeLock(path);
  let snapshots: Snapshot[] = [];
  try {
    const isNew = !existsSync(path);
    if (!fresh) snapshots = await readAll(path);
    const snapshot = merged(snapshots);
    const index = new WorldIndex(snapshots);
    const found = fresh ? null : await recover(path, snapshot, index);
    const warnings = found?.warnings ?? [];
    // With one file there is nothing that an edit could miss.
    if (snapshots.length > 1 && !(await isMarkable(path))) warnings.push(edited(path, snapshots));
    // Where the files can't be continued, they are replaced by one that is whole.
    const base = (await baseIn(path, snapshot, found)) ?? (await makeBase(path, index, snapshot, found));
    const start = await begin(path, base, index);
    const store = new WalStore(path, start, { durability, index, release });
    return { store, state: found?.state ?? null, warnings, path, isNew };
  } catch (error) {
    release();
    throw explain(`Cannot open ${path}`, error);
  }
}

/** The files as they are, where the store can continue with them. */
async function baseIn(path: string, snapshot: Snapshot | null, found: Recovered | null): Promise<Base | null> {
  if (!snapshot?.after || !found?.sound || !(await isMarkable(path))) return null;
  return { written: snapshot.generation, after: snapshot.after, last: found.last, older: found.older };
}

/** Writes the recovered state, or an empty one, to a data file that is newer than every other file, so that none of these is read again. */
async function makeBase(
  path: string,
  index: WorldIndex,
  snapshot: Snapshot | null,
  found: Recovered | null,
): Promise<Base> {
  const others = [...(await generationsOf(path, "journal")), ...(await generationsOf(path, "snapshot"))];
  const generation = Math.max(...others, snapshot?.generation ?? 0, 0) + 1;
  // Different for each store, so that the log of another one does not fit.
  const after = hex(crc32(`${process.pid} ${process.hrtime.bigint()}`));
  const base = { format: FORMAT, generation, after, open: false, state: found?.state ?? [], sizes: new Map() };
  await write(path, base);
  index.wrote(base);
  return { written: generation, after, last: null, older: 0 };
}

/** The log exists before the data file says so, and the data file says so before the first commit. */
async function begin(path: string, { written, after, last, older }: Base, index: WorldIndex): Promise<Start> {
  const generation = last?.generation ?? written;
  await removeNumbered(path, "journal", (other) => other < written || other > generation);
  await removeNumbered(path, "snapshot", (other) => !index.uses(other));
  // The draft of a snapshot that a kill cut short.
  await rm(`${path}.tmp`, { force: true });
  const file = numberedPath(path, "journal", generation);
  const log = last ? LogWriter.resume(file, last.end) : LogWriter.begin(file, generation, Number.parseInt(after, 16));
  const start = { written, generation, log, older };
  try {
    await syncFolder(dirname(path));
    // Last: from here on a missing log is damage.
    if (!(await mark(path, true))) throw new StoreError(`${path} was changed while it was opened; try again`);
    return start;
  } catch (error) {
    await log.close();
    // No data file says that it belongs to one.
    if (!last) await rm(file, { force: true });
    throw error;
  }
}
