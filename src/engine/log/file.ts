// Writes the log's file, one line for each entry. A change is written in the turn in which it is appended, together
// with the reads before it. Reads alone are written at the end of their turn, and no request waits for them.
import fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { Slice } from "../../platform/slices.ts";
import { encodeLine, encodeMark, type StoredEntry } from "./entry.ts";
import { explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** "os": an acknowledged change survives the end of the process. "fsync": it also survives a power failure. */
export type Durability = "os" | "fsync";

/** The end of the file in bytes, and the last entry in it. */
interface FileEnd {
  readonly length: number;
  readonly seq: number;
}

export const syncData = promisify(fs.fdatasync);
/** The number of entries that are copied at a time. Some are 100 kB long. */
const MAX_COPIED_ENTRIES = 50;
/** The probe is longer than most lines. Recovery accepts spaces at the end of the file. */
const PROBE = Buffer.alloc(16 * 1024, " ");

export class LogFile {
  readonly #path: string;
  readonly #durability: Durability;
  #fd: number;
  #end: FileEnd;
  /** Entries that change nothing. */
  #reads: StoredEntry[] = [];
  #copying: StoredEntry[] | undefined;
  #failure: StoreError | undefined;
  /**
   * The number of writes, and of those that are on the disk. Data that the start found may not be on the disk yet, so
   * it counts as one.
   */
  #written = 1;
  #synced = 0;
  #syncing = Promise.resolve();
  #nextSync: Promise<void> | undefined;

  /** Opens the file and cuts off everything after `end`. */
  constructor(path: string, { durability, end }: { durability: Durability; end: FileEnd }) {
    this.#path = path;
    this.#durability = durability;
    this.#end = end;
    try {
      // A folder from elsewhere may have a link of this name. Windows lacks the flag, and its links need a right.
      const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0);
      this.#fd = fs.openSync(path, flags, OWNER_ONLY);
      fs.ftruncateSync(this.#fd, end.length);
    } catch (reason) {
      throw explain(`Cannot open ${path}`, reason);
    }
  }

  /** Bytes. */
  get length(): number {
    return this.#end.length;
  }

  /** Throws a StoreError when an entry that changes something can't be written. The file is then unchanged. */
  append(entry: StoredEntry): void {
    if (entry.effect === "none") {
      if (this.#reads.push(entry) === 1) setImmediate(() => this.#writeReads());
      return;
    }
    this.check();
    this.#write([...this.#reads, entry]);
    this.#reads = [];
  }

  /**
   * Throws when nothing can be written any more. A file whose folder was removed accepts writes and loses them. The
   * check takes 1 µs, so each write makes it.
   */
  check(): void {
    if (!this.#failure && fs.fstatSync(this.#fd).nlink === 0) {
      this.#failure = new StoreError(`${this.#path} was removed while in use, nothing more can be stored; start again`);
    }
    if (this.#failure) throw this.#failure;
  }

  /** Throws if an entry could not be written now. */
  checkWritable(): void {
    this.check();
    try {
      writeAll(this.#fd, PROBE, this.#end.length);
    } catch (reason) {
      throw explain(`Cannot write ${this.#path}`, reason);
    } finally {
      this.#cutBack();
    }
  }

  /** Resolves when all writes so far are as durable as the setting promises; undefined when they are already. */
  waitUntilDurable(): Promise<void> | undefined {
    if (this.#durability === "os" || this.#synced === this.#written) return undefined;
    // All callers that arrive during a sync share the next one. A failure is reported to those that waited for it.
    this.#nextSync ??= this.#syncing
      .catch(() => {})
      .then(() => {
        this.#nextSync = undefined;
        this.#syncing = this.#sync();
        return this.#syncing;
      });
    return this.#nextSync;
  }

  /**
   * Calls `writeSnapshot` with the last entry in the file, then replaces the file by `entries` and those that follow.
   * Requests run between the slices. `entries` are taken before the snapshot is written, and each write extends them.
   * The log in memory drops entries in the meantime, and those between the snapshot and the first retained one would be
   * lost otherwise.
   */
  async rewrite(
    entries: StoredEntry[],
    temporaryPath: string,
    writeSnapshot: (seq: number) => Promise<void>,
  ): Promise<void> {
    // Pending reads would be copied now and appended again later.
    this.#writeReads();
    this.#copying = entries;
    try {
      const { seq } = this.#end;
      await writeSnapshot(seq);
      await this.#replaceBy(entries, seq, temporaryPath);
    } catch (reason) {
      removeQuietly(temporaryPath);
      throw explain(`Cannot write ${this.#path}, it is unchanged`, reason);
    } finally {
      this.#copying = undefined;
    }
  }

  /** The snapshot includes the entries up to `snapshotSeq`. */
  async #replaceBy(entries: readonly StoredEntry[], snapshotSeq: number, temporaryPath: string): Promise<void> {
    const fd = fs.openSync(temporaryPath, "w", OWNER_ONLY);
    try {
      let [length, copied, seq] = [0, 0, (entries[0]?.seq ?? 1) - 1];
      const slice = new Slice();
      const copy = (count: number) => {
        const next = entries.slice(copied, copied + count);
        length += writeAll(fd, encodeLines(next, seq), length);
        copied += next.length;
        seq = next.at(-1)?.seq ?? seq;
      };
      // New entries arrive constantly under load, so the last slice is left for the part that does not yield.
      while (entries.length - copied > MAX_COPIED_ENTRIES) {
        copy(MAX_COPIED_ENTRIES);
        if (slice.isOver) await slice.pause();
      }
      await syncData(fd);
      // The rest is synchronous, so no entry is missing in the new file and none is written only to the old one.
      this.check();
      copy(Number.POSITIVE_INFINITY);
      length += writeAll(fd, Buffer.from(encodeMark(snapshotSeq)), length);
      if (this.#durability === "fsync") fs.fdatasyncSync(fd);
      fs.renameSync(temporaryPath, this.#path);
      const replaced = this.#fd;
      this.#fd = fd;
      // Parts of bulk changes are not copied, but their numbers are used.
      this.#end = { length, seq: Math.max(seq, this.#end.seq) };
      syncFolder(this.#path);
      // A sync of the old file may still run.
      void this.#syncing.catch(() => {}).then(() => fs.closeSync(replaced));
    } catch (reason) {
      if (this.#fd !== fd) fs.closeSync(fd);
      throw reason;
    }
  }

  /** Writes the pending reads, and makes the complete file durable. */
  async close(): Promise<void> {
    this.#writeReads();
    try {
      if (!this.#failure) await syncData(this.#fd);
    } finally {
      await this.#syncing.catch(() => {});
      this.#failure ??= new StoreError(`${this.#path} is closed; open it again to write to it`);
      fs.closeSync(this.#fd);
    }
  }

  /** Reads that a full disk rejects stay in memory only. The next line in the file records that they are missing. */
  #writeReads(): void {
    const reads = this.#reads;
    this.#reads = [];
    if (this.#failure || reads.length === 0) return;
    try {
      this.#write(reads);
    } catch {}
  }

  #write(entries: readonly StoredEntry[]): void {
    const bytes = encodeLines(entries, this.#end.seq);
    try {
      writeAll(this.#fd, bytes, this.#end.length);
    } catch (reason) {
      this.#cutBack();
      throw this.#failure ?? explain(`Cannot write ${this.#path}, the change was not kept`, reason);
    }
    this.#end = { length: this.#end.length + bytes.length, seq: entries.at(-1)?.seq ?? this.#end.seq };
    this.#written += 1;
    this.#copying?.push(...entries);
  }

  /** A full disk leaves a partial line, which must not precede the next one. */
  #cutBack(): void {
    try {
      fs.ftruncateSync(this.#fd, this.#end.length);
    } catch (reason) {
      this.#failure = explain(`Cannot cut half a line off ${this.#path}; stop and start again to repair it`, reason);
    }
  }

  async #sync(): Promise<void> {
    if (this.#failure) throw this.#failure;
    // Data that is written while the sync runs may not be on the disk yet.
    const covered = this.#written;
    try {
      await syncData(this.#fd);
    } catch (reason) {
      // A failed sync leaves the content of the disk unknown, so no later change may be acknowledged.
      this.#failure = explain(`Cannot be sure that ${this.#path} is on the disk, nothing more will be kept`, reason);
      throw this.#failure;
    }
    this.#synced = covered;
  }
}

/** Returns undefined for a missing file. Throws a StoreError for a pipe or a device, which would block the process. */
export function readIfPresent(path: string): Buffer | undefined {
  return findFile(path) ? fs.readFileSync(path) : undefined;
}

/** Returns whether the file exists. Throws a StoreError if the path is something else. */
export function findFile(path: string): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile())
    throw new StoreError(`${path} is ${stats.isDirectory() ? "a folder" : "not a file"}; name another file`);
  return stats !== undefined;
}

export function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {}
}

/** Makes a new name in a folder durable. Windows can't open folders and does so itself. */
export function syncFolder(path: string): void {
  try {
    const fd = fs.openSync(dirname(path), "r");
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch {}
}

/** Writes all bytes. A full disk writes fewer bytes without an error, and only the next write fails. */
export function writeAll(fd: number, bytes: Buffer, position: number): number {
  for (let written = 0; written < bytes.length; )
    written += fs.writeSync(fd, bytes, written, bytes.length - written, position + written);
  return bytes.length;
}

const encodeLines = (entries: readonly StoredEntry[], previous: number): Buffer =>
  Buffer.from(entries.map((entry, index) => encodeLine(entry, entries[index - 1]?.seq ?? previous)).join(""));
