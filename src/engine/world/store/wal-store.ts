// An open store: appends to the current log, and compacts the logs into a snapshot. The order of the steps makes a crash harmless:
// new log, last record of the old one, snapshot, rename, and only then are files removed that the snapshot replaces.
import { dirname } from "node:path";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import { type LogRecord, only } from "./log-records.ts";
import { numberedPath, removeNumbered } from "./numbered-files.ts";
import { syncFolder } from "./snapshot-file.ts";
import { FORMAT, hex, type Snapshot } from "./snapshot-frame.ts";
import { mark } from "./snapshot-mark.ts";
import { write } from "./snapshots.ts";
import { StoreError } from "./store-error.ts";
import type { Durability, Store, StoreView } from "./store-interface.ts";
import type { LogWriter } from "./wal-writer.ts";
import type { WorldIndex } from "./world-index.ts";

/** `written` is the generation of the newest snapshot; `older` are the bytes in the logs before this one. */
export type Start = { written: number; generation: number; log: LogWriter; older: number };
type WalStoreDeps = { durability: Durability; index: WorldIndex; release: () => void };

/** A log smaller than this is never compacted for its size. */
const SMALL = 4 << 20;
/** And one that is longer also for its length alone: so much is read in three seconds of the processor at the next start. */
const LONG = 512 << 20;
/**
 * Writing a snapshot costs its whole length, and saves what the files hold of rows that have changed since. That is little where new rows
 * come and no more happens, and a log is read as quickly as a snapshot: so it is time when it is two thirds of all. How much would be left
 * is an estimate, which is too high where small new rows come beside large ones that change: what was written last is not.
 */
export const isWorthwhile = (log: number, { bytes, written }: WorldIndex["changed"]) =>
  log > SMALL && (written + log > 3 * bytes || log > Math.max(LONG, 4 * written));

export class WalStore implements Store {
  readonly #file: string;
  readonly #parts: WalStoreDeps;
  readonly #group: GroupCommit;
  #written: number;
  #generation: number;
  #older: number;
  #log: LogWriter;
  /** The log before this one is synced and closed. */
  #retired: Promise<void> = Promise.resolve();
  #compacting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(file: string, { written, generation, log, older }: Start, parts: WalStoreDeps) {
    this.#file = file;
    this.#parts = parts;
    this.#written = written;
    this.#generation = generation;
    this.#older = older;
    this.#log = log;
    // Both at once: a log that is retired a moment later still syncs for the callers who wait for it.
    this.#group = groupCommit(async () => void (await Promise.all([this.#retired, this.#log.sync()])));
  }

  /** Throws when nothing can be written, and then nothing is. */
  append(record: LogRecord): void {
    this.#throwWhenClosed();
    const before = this.#log.length;
    this.#log.append(record);
    this.#parts.index.note(record, this.#generation, this.#log.length - before);
    this.#group.wrote();
  }

  whyUnusable(): string | undefined {
    try {
      this.#throwWhenClosed();
      this.#log.checkWritable();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** With "os" nobody waits: the system writes in its own time. */
  durable(): Promise<void> | undefined {
    return this.#parts.durability === "fsync" ? this.#group.durable() : undefined;
  }

  /** Whether a compaction is worth its cost by now. */
  get due(): boolean {
    const length = this.#older + this.#log.length;
    return !this.#compacting && !this.#closing && isWorthwhile(length, this.#parts.index.changed);
  }

  /** `all`: into the data file, which then is the only one. Others wait for one that is under way. */
  async compact(view: StoreView, all?: "all"): Promise<void> {
    this.#throwWhenClosed();
    while (this.#compacting) await this.#compacting.catch(() => {});
    // Closed meanwhile: closing leaves the files whole, so there is nothing to do.
    if (this.#closing) return;
    this.#compacting = this.#compact(view, all !== undefined)
      .catch((reason) => {
        // Broken off: what is written when the store is closed has all of it.
        if (!this.#closing) throw reason;
      })
      .finally(() => {
        this.#compacting = null;
      });
    return this.#compacting;
  }

  close(view?: StoreView): Promise<void> {
    this.#closing ??= this.#close(view);
    return this.#closing;
  }

  async #compact(view: StoreView, isAll: boolean): Promise<void> {
    // Before the worlds are read: every later commit is in the new log.
    const after = this.#rotate();
    const { index, worlds } = this.#parts.index.plan(this.#generation, isAll);
    const state = only(worlds, index ? view(worlds) : view());
    const [format, generation] = [FORMAT, this.#generation];
    // The snapshot says that its log exists: this must be true after a power cut too.
    await Promise.all([this.#log.sync(), syncFolder(dirname(this.#file))]);
    const snapshot = { format, generation, after, open: true, index, state, sizes: new Map() };
    await this.#writeSnapshot(snapshot, () => !this.#closing);
  }

  /** Goes on in a new log; answers the checksum that it continues from. */
  #rotate(): string {
    const old = this.#log;
    const generation = this.#generation + 1;
    this.#log = old.continueIn(numberedPath(this.#file, "journal", generation), generation);
    this.#generation = generation;
    // Also when the snapshot fails: the next attempt waits until the log has grown again.
    this.#older = 0;
    this.#retired = this.#retire(old);
    this.#retired.catch(() => {});
    return hex(old.sum);
  }

  async #retire(old: LogWriter): Promise<void> {
    try {
      if (this.#parts.durability === "fsync") await Promise.all([old.sync(), syncFolder(dirname(this.#file))]);
    } finally {
      await old.close();
    }
  }

  async #writeSnapshot(snapshot: Snapshot, isWanted?: () => boolean): Promise<void> {
    await write(this.#file, snapshot, isWanted);
    this.#written = snapshot.generation;
    this.#parts.index.wrote(snapshot);
    // Even if the old log could not be synced, the snapshot now holds its records.
    await this.#retired.catch(() => {});
    this.#retired = Promise.resolve();
    // Only now, when the snapshot that replaces them is in place.
    await removeNumbered(this.#file, "journal", (generation) => generation < snapshot.generation);
    await removeNumbered(this.#file, "snapshot", (generation) => !this.#parts.index.uses(generation));
  }

  /** Without a view the files stay as they are, as after a kill. */
  async #close(view?: StoreView): Promise<void> {
    try {
      while (this.#compacting) await this.#compacting.catch(() => {});
      await this.#closeLog(view !== undefined);
      if (!view) return;
      // Nothing happened since the last snapshot: the mark is changed, and no record written.
      const isWritten = this.#written === this.#generation && this.#log.isEmpty && this.#parts.index.isOneFile;
      if (!isWritten || !(await mark(this.#file, false))) {
        const [format, generation, after] = [FORMAT, this.#generation + 1, hex(this.#log.sum)];
        await this.#writeSnapshot({ format, generation, after, open: false, state: view(), sizes: new Map() });
      }
      await removeNumbered(this.#file, "journal", () => true);
    } finally {
      this.#parts.release();
    }
  }

  /** Before a snapshot replaces the log, the log must still be there and sound. */
  async #closeLog(isReplaced: boolean): Promise<void> {
    try {
      if (isReplaced) this.#log.check();
    } finally {
      await this.#retire(this.#log);
    }
  }

  #throwWhenClosed(): void {
    if (this.#closing) throw new StoreError(`${this.#file} is closed; open it again to write to it`);
  }
}
