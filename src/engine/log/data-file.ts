// Stores entries in an open data file, and limits the size of its log: compaction writes a snapshot, then a new log
// with the retained entries.
import type { State, StoredEntry } from "./entry.ts";
import type { LogFile } from "./file.ts";
import type { ActivityLog, EntrySink } from "./log.ts";
import { writeSnapshot } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";

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
    // Compaction runs in a later turn, because memory gets the change only after the file.
    if (file.length > this.#compactAt && !this.#compacting) setImmediate(() => this.compact().catch(() => {}));
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
      await writeSnapshot(path, { seq, state }, `${path}.tmp`);
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
