// Opens a data file: takes its lock, reads it, creates a missing one, and migrates one of version 0.2.0.
import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "../../platform/make-folder.ts";
import { DataFile } from "./data-file.ts";
import type { State } from "./entry.ts";
import { type Durability, findFile, LogFile, readIfPresent, removeQuietly } from "./file.ts";
import { takeLock } from "./lock.ts";
import { ActivityLog } from "./log.ts";
import { recover } from "./recover.ts";
import { FORMAT, FORMAT_OF_0_2_0, readSnapshot, type Snapshot, toState, writeSnapshot } from "./snapshot.ts";
import { explain, OWNER_ONLY, StoreError } from "./store-error.ts";

interface OpenOptions {
  log?: ActivityLog;
  /** Bytes of entries in memory. */
  maxBytes?: number;
  durability?: Durability;
  /** Whether to replace the data by an empty file. */
  fresh?: boolean;
}

interface OpenedFile {
  readonly store: DataFile;
  /** Null for a new file. */
  readonly state: State | null;
  readonly warnings: readonly string[];
}

/** Opens the data file. Rejects with a StoreError, which leaves the files unchanged. */
export async function openDataFile(
  file: string,
  { maxBytes = 64 * 1024 * 1024, log = new ActivityLog(maxBytes), durability = "os", fresh = false }: OpenOptions = {},
): Promise<OpenedFile> {
  const path = resolveDataFilePath(file);
  if (fresh) assertReplaceable(path);
  // The lock is taken before reading, because another process may be writing.
  const releaseLock = await takeLock(path);
  try {
    const snapshot = await prepareSnapshot(path, fresh);
    const { worlds, warnings, end, lastChange } = recover(path, snapshot, log);
    // A kill may have left the temporary file. Both files are complete without it.
    removeQuietly(`${path}.tmp`);
    const logFile = new LogFile(`${path}.log`, { durability, end });
    const snapshotSeq = snapshot.isEdited ? -1 : snapshot.seq;
    const isNew = worlds.size === 0;
    const store = new DataFile({ path, log, file: logFile, maxBytes, snapshotSeq, lastChange, isNew, releaseLock });
    log.sink = store;
    if (snapshot.isEdited) beginPastAgain(log, worlds.keys(), fs.statSync(path).mtimeMs);
    return { store, state: isNew ? null : toState(worlds), warnings };
  } catch (reason) {
    releaseLock();
    throw explain(`Cannot open ${path}`, reason);
  }
}

/** Returns the real path of the file, so that two names for it find the same lock. Creates a missing folder. */
function resolveDataFilePath(file: string): string {
  const path = resolve(file);
  try {
    // Only the owner may read the folder, because a data file contains secrets.
    makeFolder(dirname(path), 0o700);
    return findFile(path) ? fs.realpathSync(path) : join(fs.realpathSync(dirname(path)), basename(path));
  } catch (error) {
    throw explain(`Cannot open ${path}`, error);
  }
}

/** Reads the data file. Creates a missing one, so a log without its data file is noticed. */
async function prepareSnapshot(path: string, isFresh: boolean): Promise<Snapshot> {
  const found = isFresh ? null : readSnapshot(path);
  if (found) {
    assertWritable(path);
    return found.format === FORMAT_OF_0_2_0 ? migrate(path, found) : found;
  }
  if (isFresh) fs.rmSync(`${path}.log`, { force: true });
  else if (fs.existsSync(`${path}.log`))
    throw new StoreError(
      `${path} is missing, but its log ${path}.log exists; nothing was changed. Restore ${path} from a copy, or move ${path}.log away, or start with {option fresh} to replace it`,
    );
  return writeWorlds(path, new Map());
}

/** Checks that the file may be written, because a rename would replace a read-only file too. */
function assertWritable(path: string): void {
  try {
    fs.accessSync(path, fs.constants.W_OK);
  } catch (reason) {
    throw explain(`Cannot write ${path}`, reason);
  }
}

/** Rewrites a file of version 0.2.0. Keeps a copy as `world.json.0-2-0`. */
async function migrate(path: string, { worlds }: Snapshot): Promise<Snapshot> {
  const journal = fs.readdirSync(dirname(path)).find((name) => name.startsWith(`${basename(path)}.journal.`));
  if (journal !== undefined)
    throw new StoreError(
      `${join(dirname(path), journal)} was left by an older version that was not stopped cleanly; nothing was changed. Start and stop it once with 0.2.0`,
    );
  // Copying would follow a link of this name.
  fs.rmSync(`${path}.0-2-0`, { force: true });
  fs.copyFileSync(path, `${path}.0-2-0`);
  fs.chmodSync(`${path}.0-2-0`, OWNER_ONLY);
  return writeWorlds(path, worlds);
}

async function writeWorlds(path: string, worlds: Snapshot["worlds"]): Promise<Snapshot> {
  await writeSnapshot(path, { seq: 0, state: toState(worlds) }, `${path}.tmp`);
  return { format: FORMAT, seq: 0, worlds, isEdited: false };
}

/** Begins the past of each world again: a person has edited the data, so earlier entries do not lead to it. */
function beginPastAgain(log: ActivityLog, worlds: Iterable<string>, wall: number): void {
  for (const world of worlds)
    log.append({ world, kind: "state", id: "start", at: "", wall, replaced: { from: world } });
}

const EXAMINED_BYTES = 4096;
/** Other JSON files have a field "format" too, such as API descriptions. */
const BEGINNING = /"format"\s*:\s*\d[\s\S]*"(?:generation|worlds)"\s*:/;

/** Checks that `--fresh` replaces only a data file, which may be damaged. */
function assertReplaceable(path: string): void {
  const bytes = readIfPresent(path);
  const isReplaceable =
    !bytes?.length || BEGINNING.test(bytes.toString("latin1", 0, EXAMINED_BYTES)) || fs.existsSync(`${path}.log`);
  if (!isReplaceable)
    throw new StoreError(
      `${path} is not a data file of a sandbox, and {option fresh} replaces nothing else; nothing was changed. Use another {option data} file, or move this one away`,
    );
}
