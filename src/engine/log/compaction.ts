// The open data file of a sandbox. Bounds the log's file: writes a snapshot, then a new log that begins with the retained entries.
import type { State, StoredEntry } from "./entry.ts";
import type { LogFile } from "./file.ts";
import type { ActivityLog, EntrySink } from "./log.ts";
import { writeSnapshot } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

/** Where the entries of a sandbox are stored: its data file, or a database. */
export interface EntryStore {
  /** Returns worlds as they are now, these or all, in a copy that no request changes. */
  copyState: (only?: ReadonlySet<string>) => State;
  /**
   * Resolves when all entries, of this world or of all, are as durable as the setting promises; undefined when they are already. Rejects with
   * a StoreError when that is unknown, or when memory may differ from what is stored: then no response may rely on memory.
   */
  durable(world?: string): Promise<void> | undefined;
  /** Why no change can be stored now, as a sentence. Undefined if one can. */
  whyUnusable(): string | undefined;
  /** Ends the store. `isComplete`: the state is complete, so it is written down. Otherwise the files stay as after a kill. */
  close(isComplete: boolean): Promise<void>;
}

/** Smaller logs are never compacted. */
const MIN_LOG_BYTES = 64 * 1024;

/** The first snapshot of a new file waits until the server listens, so it does not delay the start. */
const FIRST_SNAPSHOT_MS = 100;

interface DataFileParts {
  readonly path: string;
  readonly log: ActivityLog;
  readonly file: LogFile;
  /** Bytes of entries in memory. The file may hold twice as much before it is compacted. */
  readonly maxBytes: number;
  /** `world.json` holds all changes up to this entry. */
  readonly snapshotSeq: number;
  readonly lastChange: number;
  /** The files hold no world yet. */
  readonly isNew: boolean;
  releaseLock(): void;
}

export class DataFile implements EntryStore, EntrySink {
  readonly #parts: DataFileParts;
  readonly #maxLength: number;
  #compactAt: number;
  #snapshotSeq: number;
  #hasSnapshot: boolean;
  #lastChange: number;
  #compacting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(parts: DataFileParts) {
    this.#parts = parts;
    this.#maxLength = 2 * Math.max(parts.maxBytes, MIN_LOG_BYTES);
    this.#compactAt = this.#maxLength;
    this.#hasSnapshot = !parts.isNew;
    this.#snapshotSeq = parts.snapshotSeq;
    this.#lastChange = parts.lastChange;
  }

  append(entry: StoredEntry): void {
    const isChange = entry.effect !== "none";
    if (this.#closing) {
      if (isChange) throw new StoreError(`${this.#parts.path} is closed; open it again to write to it`);
      return;
    }
    const { file } = this.#parts;
    file.append(entry);
    if (isChange) this.#lastChange = entry.seq;
    if (!this.#hasSnapshot) {
      // `world.json` can soon be read without the log.
      this.#hasSnapshot = true;
      setTimeout(() => this.compact().catch(() => {}), FIRST_SNAPSHOT_MS).unref();
    }
    // Not in this turn: memory gets the change only after the file.
    if (file.length > this.#compactAt && !this.#compacting) setImmediate(() => this.compact().catch(() => {}));
  }

  durable(): Promise<void> | undefined {
    return this.#parts.file.waitUntilDurable();
  }

  whyUnusable(): string | undefined {
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
      // After a failure too, so that a full disk is not tried with each entry.
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
    await file.rewrite(log.since(0), `${path}.tmp`, async (seq) => {
      await writeSnapshot(path, { seq, state }, `${path}.tmp`);
      this.#snapshotSeq = seq;
    });
  }

  async #close(isComplete: boolean): Promise<void> {
    const { file, releaseLock } = this.#parts;
    try {
      await this.#compacting?.catch(() => {});
      if (isComplete) await this.#writeState();
    } finally {
      await file.close().finally(releaseLock);
    }
  }

  async #writeState(): Promise<void> {
    const { path, log, file } = this.#parts;
    file.check();
    if (this.#lastChange <= this.#snapshotSeq) return;
    // Mostly parts of a bulk change, which the snapshot holds: the next start need not read them.
    if (file.length > 2 * log.bytes + MIN_LOG_BYTES) return this.#compact();
    const seq = file.lastSeq;
    await writeSnapshot(path, { seq, state: this.copyState() }, `${path}.tmp`);
    // On a full disk an older copy of the data file would not be noticed; all else is complete.
    try {
      file.appendMark(seq);
    } catch {}
  }
}
