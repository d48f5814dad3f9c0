// Opens a data file: takes its lock, reads it, and writes a new one where there is none, or one of version 0.2.0.
import fs from "node:fs";
import { basename, dirname } from "node:path";
import { DataFile } from "./compaction.ts";
import { dataFilePath } from "./data-file-path.ts";
import type { State } from "./entry.ts";
import { type Durability, LogFile, removeQuietly } from "./file.ts";
import { takeLock } from "./lock.ts";
import { ActivityLog } from "./log.ts";
import { recover } from "./recover.ts";
import { FORMAT_OF_0_2_0, readSnapshot, type Snapshot, toState, writeSnapshot } from "./snapshot.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

interface OpenOptions {
  log?: ActivityLog;
  /** Bytes of entries in memory. */
  maxBytes?: number;
  durability?: Durability;
  /** Replaces the data by nothing. */
  fresh?: boolean;
}

interface OpenedFile {
  readonly store: DataFile;
  /** Null for a new file. */
  readonly state: State | null;
  readonly warnings: readonly string[];
}

const EMPTY: Snapshot = { format: 4, seq: 0, worlds: new Map(), isEdited: false };

/** Rejects with a StoreError, and the files stay as they are. */
export async function openDataFile(
  file: string,
  { maxBytes = 64 * 1024 * 1024, log = new ActivityLog(maxBytes), durability = "os", fresh = false }: OpenOptions = {},
): Promise<OpenedFile> {
  const path = dataFilePath(file);
  if (fresh) assertReplaceable(path);
  // Before anything is read: another process may be writing.
  const releaseLock = await takeLock(path);
  try {
    const snapshot = await prepareSnapshot(path, fresh);
    const { worlds, warnings, end, lastChange } = recover(path, snapshot, log);
    // A kill may have left it, and both files are complete without it.
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

/** Reads the data file. Writes an empty one where there is none, so a log without its data file is noticed. */
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
      `${path} is missing, but ${path}.log is there, which belongs to it; nothing was changed. Put ${path} back from a copy, or move ${path}.log away, or start with {option fresh} to replace it`,
    );
  assertNoOlderFiles(path);
  await writeSnapshot(path, { seq: 0, state: [] }, `${path}.tmp`);
  return EMPTY;
}

/** A copy of the old file stays as `world.json.0-2-0`. The numbers continue those that 0.2.0 has used. */
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

/** Version 0.2.0 stored the first free number beside its data file. */
function readUsedNumbers(path: string): number {
  try {
    const free = Number(/^\{"free":([1-9]\d{0,15})\}\n$/.exec(fs.readFileSync(path, "utf8"))?.[1] ?? 1);
    return Number.isSafeInteger(free) ? free - 1 : 0;
  } catch (reason) {
    if (codeOf(reason) === "ENOENT") return 0;
    throw explain(`Cannot read ${path}`, reason);
  }
}

/** The files that older versions kept beside a data file while it was open. */
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

/** A rename would replace a file that may not be written. */
function assertWritable(path: string): void {
  try {
    fs.accessSync(path, fs.constants.W_OK);
  } catch (reason) {
    throw explain(`Cannot write ${path}`, reason);
  }
}

/** A person has edited the data, so the entries before do not lead to it. */
function beginPastAgain(log: ActivityLog, worlds: Iterable<string>, wall: number): void {
  for (const world of worlds) {
    const replaced = { from: world };
    log.append({ world, kind: "state", id: "start", at: "", wall, replaced });
  }
}

const LOOKED_AT_BYTES = 4096;
/** A data file, also a damaged one, begins or ends like this. */
const FIRST = /"format"\s*:\s*\d[\s\S]*"(?:generation|worlds)"\s*:/;
const LAST = /"checksum":"[0-9a-f]{8}"(?:,"open":[01])?\}\s*$/;

/** `--fresh` replaces a data file, also a damaged one, and nothing else. */
function assertReplaceable(path: string): void {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(path);
  } catch (reason) {
    if (codeOf(reason) === "ENOENT") return;
    throw explain(`Cannot read ${path}`, reason);
  }
  const isOurs =
    bytes.length === 0 ||
    FIRST.test(bytes.toString("latin1", 0, LOOKED_AT_BYTES)) ||
    LAST.test(bytes.toString("latin1", Math.max(0, bytes.length - LOOKED_AT_BYTES))) ||
    fs.existsSync(`${path}.log`) ||
    findOlderFiles(path).length > 0;
  if (!isOurs)
    throw new StoreError(
      `${path} is not a data file of a sandbox, and {option fresh} replaces nothing else; nothing was changed. Use another {option data} file, or move this one away`,
    );
}
