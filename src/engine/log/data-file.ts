// Opens a data file and stores entries in it: takes its lock, reads it, creates a missing one, and migrates one of
// version 0.2.0. Compaction limits the size of its log: it writes a snapshot, then a new log with the retained entries.
import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "../../platform/make-folder.ts";
import type { State } from "../world/state/schema.ts";
import type { StoredEntry } from "./entry.ts";
import { type Durability, findFile, LogFile, readIfPresent, removeQuietly } from "./file.ts";
import { takeLock } from "./lock.ts";
import { ActivityLog, type EntrySink } from "./log.ts";
import { recover } from "./recover.ts";
import { FORMAT, readSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts";
import { explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** The store of the entries of a sandbox: its data file, or a database. */
export interface EntryStore {
  /** Returns a copy of these or all worlds that no request changes. */
  copyState: (only?: ReadonlySet<string>) => State;
  /**
   * Resolves when all entries of this world, or of all, are as durable as the setting promises; undefined when they are
   * already. Rejects with a StoreError when that is unknown or memory may differ from the store; then no response may
   * rely on memory.
   */
  waitUntilDurable(world?: string): Promise<void> | undefined;
  /** Returns a sentence that explains why no change can be stored now, or undefined. */
  explainUnusable(): string | undefined;
  /** Closes the store. Writes the state if it is complete; otherwise the files stay as after a kill. */
  close(isComplete: boolean): Promise<void>;
}

interface OpenOptions {
  log?: ActivityLog;
  /** Bytes of entries in memory. The file may hold twice as much before it is compacted. */
  maxBytes?: number;
  durability?: Durability;
  /** Whether to replace the data by an empty file. */
  fresh?: boolean;
}

/**
 * Opens the data file, whose state is empty if it is new. Rejects with a StoreError, which leaves the files unchanged.
 */
export async function openDataFile(
  file: string,
  { maxBytes = 64 * 1024 * 1024, log = new ActivityLog(maxBytes), durability = "os", fresh = false }: OpenOptions = {},
) {
  let releaseLock = () => {};
  try {
    const path = resolveDataFilePath(file);
    if (fresh) assertReplaceable(path);
    // The lock is taken before reading, because another process may be writing.
    releaseLock = await takeLock(path);
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
    return { store, state: worlds, warnings };
  } catch (reason) {
    releaseLock();
    throw explain(`Cannot open ${resolve(file)}`, reason);
  }
}

/** Returns the real path of the file, so that two names for it find the same lock. Creates a missing folder. */
function resolveDataFilePath(file: string): string {
  const path = resolve(file);
  // Only the owner may read the folder, because a data file contains secrets.
  makeFolder(dirname(path), 0o700);
  return findFile(path) ? fs.realpathSync(path) : join(fs.realpathSync(dirname(path)), basename(path));
}

const EXAMINED_BYTES = 4096;
/** Other JSON files have a field "format" too, such as API descriptions. */
const BEGINNING = /"format"\s*:\s*\d[\s\S]*"(?:generation|worlds)"\s*:/;

/** Checks that `--fresh` replaces only a data file, which may be damaged. */
function assertReplaceable(path: string): void {
  const bytes = readIfPresent(path);
  if (!bytes?.length || BEGINNING.test(bytes.toString("latin1", 0, EXAMINED_BYTES)) || fs.existsSync(`${path}.log`))
    return;
  throw new StoreError(
    `${path} is not a data file of a sandbox, and {option fresh} replaces nothing else; nothing was changed. Use another {option data} file, or move this one away`,
  );
}

/** Reads the data file. Creates a missing one, so a log without its data file is noticed. */
async function prepareSnapshot(path: string, isFresh: boolean): Promise<Snapshot> {
  if (isFresh) fs.rmSync(`${path}.log`, { force: true });
  const found = isFresh ? null : readSnapshot(path);
  if (!found) {
    if (fs.existsSync(`${path}.log`))
      throw new StoreError(
        `${path} is missing, but its log ${path}.log exists; nothing was changed. Restore ${path} from a copy, or move ${path}.log away, or start with {option fresh} to replace it`,
      );
    return rewrite(path, new Map());
  }
  try {
    // A rename would replace a read-only file too.
    fs.accessSync(path, fs.constants.W_OK);
  } catch (reason) {
    throw explain(`Cannot write ${path}`, reason);
  }
  if (found.format === FORMAT) return found;
  copyOldFile(path);
  return rewrite(path, found.worlds);
}

/** Keeps a copy of a file of version 0.2.0 as `world.json.0-2-0`. */
function copyOldFile(path: string): void {
  const journal = fs.readdirSync(dirname(path)).find((name) => name.startsWith(`${basename(path)}.journal.`));
  if (journal !== undefined)
    throw new StoreError(
      `${join(dirname(path), journal)} was left by an older version that was not stopped cleanly; nothing was changed. Start and stop it once with 0.2.0`,
    );
  // Copying would follow a link of this name.
  fs.rmSync(`${path}.0-2-0`, { force: true });
  fs.copyFileSync(path, `${path}.0-2-0`);
  fs.chmodSync(`${path}.0-2-0`, OWNER_ONLY);
}

async function rewrite(path: string, worlds: Snapshot["worlds"]): Promise<Snapshot> {
  await writeSnapshot(path, 0, worlds);
  return { format: FORMAT, seq: 0, worlds, isEdited: false };
}

/** Begins the past of each world again: a person has edited the data, so earlier entries do not lead to it. */
function beginPastAgain(log: ActivityLog, worlds: Iterable<string>, wall: number): void {
  for (const world of worlds)
    log.append({ world, kind: "state", id: "start", at: "", wall, replaced: { from: world } });
}

/** Smaller logs are never compacted. */
const MIN_LOG_BYTES = 64 * 1024;

/** The first snapshot of a new file waits until the server listens, so it does not delay the start. */
const FIRST_SNAPSHOT_MS = 100;

interface DataFileParts {
  readonly path: string;
  readonly log: ActivityLog;
  readonly file: LogFile;
  readonly maxBytes: number;
  /** `world.json` holds all changes up to this entry. */
  readonly snapshotSeq: number;
  readonly lastChange: number;
  /** The files hold no world yet. */
  readonly isNew: boolean;
  releaseLock(): void;
}

class DataFile implements EntryStore, EntrySink {
  readonly #parts: DataFileParts;
  readonly #maxLength: number;
  /** The length of the log in bytes that starts a compaction. */
  #compactAt: number;
  #snapshotSeq: number;
  #lastChange: number;
  #compacting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(parts: DataFileParts) {
    this.#parts = parts;
    this.#maxLength = 2 * Math.max(parts.maxBytes, MIN_LOG_BYTES);
    // A new `world.json` can soon be read without its log.
    this.#compactAt = parts.isNew ? 0 : this.#maxLength;
    this.#snapshotSeq = parts.snapshotSeq;
    this.#lastChange = parts.lastChange;
  }

  append(entry: StoredEntry): void {
    const { file } = this.#parts;
    file.append(entry);
    if (entry.effect !== "none") this.#lastChange = entry.seq;
    if (file.length <= this.#compactAt) return;
    // Compaction runs in a later turn, because memory gets the change only after the file.
    const delayMs = this.#compactAt === 0 ? FIRST_SNAPSHOT_MS : 0;
    this.#compactAt = Number.POSITIVE_INFINITY;
    setTimeout(() => this.compact().catch(() => {}), delayMs).unref();
  }

  waitUntilDurable(): Promise<void> | undefined {
    return this.#parts.file.waitUntilDurable();
  }

  explainUnusable(): string | undefined {
    try {
      this.#parts.file.checkWritable();
      return undefined;
    } catch (reason) {
      return (reason as Error).message;
    }
  }

  /**
   * A kill is harmless at each step, because only renames replace a file:
   * 1. The temporary file is incomplete: both files are the old ones.
   * 2. The snapshot has its final name: the old log still holds every entry, and recovery skips those that the snapshot includes.
   * 3. The temporary file holds a part of the new log: as in step 2.
   * 4. The new log has its final name: it begins before the snapshot's point, and ends with the latest entry.
   */
  compact(): Promise<void> {
    if (this.#closing) return Promise.resolve();
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
      // The limit also rises after a failure, so that a full disk is not tried with each entry.
      this.#compactAt = Math.max(this.#maxLength, this.#parts.file.length + this.#maxLength / 2);
    });
    return this.#compacting;
  }

  close(isComplete: boolean): Promise<void> {
    this.#closing ??= this.#close(isComplete);
    return this.#closing;
  }

  async #compact(): Promise<void> {
    const { path, log, file } = this.#parts;
    const state = this.copyState();
    await file.rewrite(log.listAfter(0), `${path}.tmp`, async (seq) => {
      await writeSnapshot(path, seq, state);
      this.#snapshotSeq = seq;
    });
  }

  async #close(isComplete: boolean): Promise<void> {
    const { file, releaseLock } = this.#parts;
    try {
      await this.#compacting?.catch(() => {});
      if (!isComplete) return;
      file.check();
      if (this.#lastChange <= this.#snapshotSeq) return;
      await this.#compact().catch((reason) => {
        // The data is complete without the shorter log, for which a disk may be too full.
        if (this.#lastChange > this.#snapshotSeq) throw reason;
      });
    } finally {
      await file.close().finally(releaseLock);
    }
  }
}
