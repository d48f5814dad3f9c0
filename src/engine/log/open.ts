// Opens a data file: takes its lock, reads it, creates a missing one, and migrates one of version 0.2.0.
import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "../../platform/make-folder.ts";
import { DataFile } from "./data-file.ts";
import type { State } from "./entry.ts";
import { type Durability, LogFile, removeQuietly } from "./file.ts";
import { takeLock } from "./lock.ts";
import { ActivityLog } from "./log.ts";
import { recover } from "./recover.ts";
import { FORMAT_OF_0_2_0, readSnapshot, type Snapshot, toState, writeSnapshot } from "./snapshot.ts";
import { explain, OWNER_ONLY, readErrorCode, StoreError } from "./store-error.ts";

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

const EMPTY: Snapshot = { format: 4, seq: 0, worlds: new Map(), isEdited: false };

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

/** The kinds that are not regular files, with the end of their error message. */
const KINDS: readonly [is: (stats: fs.Stats) => boolean, kind: string][] = [
  [(stats) => stats.isDirectory(), "a folder; name a file inside it"],
  [(stats) => stats.isFIFO(), "a named pipe; name a file"],
  [(stats) => stats.isSocket(), "a socket; name a file"],
  [(stats) => stats.isCharacterDevice() || stats.isBlockDevice(), "a device; name a file"],
];

/** Returns the real path of the file, so that two names for it find the same lock. Creates a missing folder. */
function resolveDataFilePath(file: string): string {
  const path = resolve(file);
  try {
    // Only the owner may read the folder, because a data file contains secrets.
    makeFolder(dirname(path), 0o700);
    if (!fs.existsSync(path)) return join(fs.realpathSync(dirname(path)), basename(path));
  } catch (error) {
    throw explain(`Cannot make the folder of ${path}`, error);
  }
  const stats = fs.statSync(path);
  const kind = KINDS.find(([is]) => is(stats))?.[1];
  if (kind) throw new StoreError(`Cannot open ${path}: it is ${kind}`);
  return fs.realpathSync(path);
}

/** Reads the data file. Creates a missing one, so a log without its data file is noticed. */
async function prepareSnapshot(path: string, isFresh: boolean): Promise<Snapshot> {
  const found = isFresh ? null : readSnapshot(path);
  if (found && found.format !== FORMAT_OF_0_2_0) {
    assertWritable(path);
    return found;
  }
  if (found) return migrate(path, found);
  if (isFresh)
    for (const name of ["", ...findOlderFiles(path)]) fs.rmSync(name === "" ? `${path}.log` : name, { force: true });
  else if (fs.existsSync(`${path}.log`))
    throw new StoreError(
      `${path} is missing, but its log ${path}.log exists; nothing was changed. Restore ${path} from a copy, or move ${path}.log away, or start with {option fresh} to replace it`,
    );
  assertNoOlderFiles(path);
  await writeSnapshot(path, { seq: 0, state: [] }, `${path}.tmp`);
  return EMPTY;
}

/** Migrates a file of version 0.2.0. Keeps a copy as `world.json.0-2-0`, and continues its numbers. */
async function migrate(path: string, { worlds }: Snapshot): Promise<Snapshot> {
  assertNoOlderFiles(path);
  const seq = readUsedNumbers(`${path}.numbers`);
  const copy = `${path}.0-2-0`;
  fs.copyFileSync(path, `${copy}.tmp`);
  fs.chmodSync(`${copy}.tmp`, OWNER_ONLY);
  fs.renameSync(`${copy}.tmp`, copy);
  await writeSnapshot(path, { seq, state: toState(worlds) }, `${path}.tmp`);
  fs.rmSync(`${path}.numbers`, { force: true });
  fs.writeFileSync(`${path}.log`, "", { mode: OWNER_ONLY });
  return { format: 4, seq, worlds, isEdited: false };
}

/** Reads the last used number. Version 0.2.0 stored the first free one in a file next to its data file. */
function readUsedNumbers(path: string): number {
  try {
    const free = Number(/^\{"free":([1-9]\d{0,15})\}\n$/.exec(fs.readFileSync(path, "utf8"))?.[1] ?? 1);
    return Number.isSafeInteger(free) ? free - 1 : 0;
  } catch (reason) {
    if (readErrorCode(reason) === "ENOENT") return 0;
    throw explain(`Cannot read ${path}`, reason);
  }
}

/** Finds the files that older versions kept next to a data file while it was open. */
function findOlderFiles(path: string): string[] {
  const prefix = `${basename(path)}.`;
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^(journal|snapshot)\.\d+$/.test(name.slice(prefix.length)))
    .map((name) => `${dirname(path)}/${name}`);
}

function assertNoOlderFiles(path: string): void {
  const [older] = findOlderFiles(path);
  if (older !== undefined)
    throw new StoreError(
      `${older} was left by an older version that was not stopped cleanly; nothing was changed. Start and stop it once with 0.2.0, or start with {option fresh} to replace all`,
    );
}

/** Checks that the file may be written, because a rename would replace it anyway. */
function assertWritable(path: string): void {
  try {
    fs.accessSync(path, fs.constants.W_OK);
  } catch (reason) {
    throw explain(`Cannot write ${path}`, reason);
  }
}

/** Begins the past of each world again: a person has edited the data, so earlier entries do not lead to it. */
function beginPastAgain(log: ActivityLog, worlds: Iterable<string>, wall: number): void {
  for (const world of worlds)
    log.append({ world, kind: "state", id: "start", at: "", wall, replaced: { from: world } });
}

const EXAMINED_BYTES = 4096;
/** Data files begin or end like this, also damaged ones. */
const FILE_BEGINNING = /"format"\s*:\s*\d[\s\S]*"(?:generation|worlds)"\s*:/;
const FILE_END = /"checksum":"[0-9a-f]{8}"(?:,"open":[01])?\}\s*$/;

/** Checks that `--fresh` replaces only a data file, which may be damaged. */
function assertReplaceable(path: string): void {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(path);
  } catch (reason) {
    if (readErrorCode(reason) === "ENOENT") return;
    throw explain(`Cannot read ${path}`, reason);
  }
  const isOurs =
    bytes.length === 0 ||
    FILE_BEGINNING.test(bytes.toString("latin1", 0, EXAMINED_BYTES)) ||
    FILE_END.test(bytes.toString("latin1", Math.max(0, bytes.length - EXAMINED_BYTES))) ||
    fs.existsSync(`${path}.log`) ||
    findOlderFiles(path).length > 0;
  if (!isOurs)
    throw new StoreError(
      `${path} is not a data file of a sandbox, and {option fresh} replaces nothing else; nothing was changed. Use another {option data} file, or move this one away`,
    );
}
