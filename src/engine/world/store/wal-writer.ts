// Writes one file of the write-ahead log: the commits since the snapshot. A record is in the file before append returns; a write that
// fails leaves the file as it was.
import { closeSync, fdatasync, fdatasyncSync, fstatSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import type { LogRecord } from "./log-records.ts";
import { explain, StoreError } from "./store-error.ts";
import { cutAt, opened, writeAll } from "./wal-bytes.ts";
import { END_LENGTH, encode, type WalPosition } from "./wal-reader.ts";

const dataSync = promisify(fdatasync);
/** Longer than most records. */
const PROBE = Buffer.alloc(16 * 1024, " ");

export class LogWriter {
  readonly #path: string;
  readonly #fd: number;
  #end: WalPosition;
  #broken: StoreError | null = null;
  /** Syncs come one after the other, and closing comes last. */
  #busy: Promise<void> = Promise.resolve();

  private constructor(path: string, fd: number, end: WalPosition) {
    this.#path = path;
    this.#fd = fd;
    this.#end = end;
  }

  /** A new log, which continues from this checksum. It is on the disk itself before anything refers to it. */
  static begin(path: string, generation: number, sum: number): LogWriter {
    return opened(path, "w+", (fd) => {
      const { bytes, end } = encode({ journal: generation }, { length: 0, records: 0, sum });
      writeAll(fd, bytes, 0);
      fdatasyncSync(fd);
      return new LogWriter(path, fd, end);
    });
  }

  /** An existing log, which continues from this position; anything after it is cut off. */
  static resume(path: string, end: WalPosition): LogWriter {
    return opened(path, "r+", (fd) => {
      cutAt(fd, end);
      return new LogWriter(path, fd, end);
    });
  }

  /** Bytes. */
  get length(): number {
    return this.#end.length;
  }

  /** The checksum that the next record continues from. */
  get sum(): number {
    return this.#end.sum;
  }

  /** Its first record names the log and is no commit. */
  get isEmpty(): boolean {
    return this.#end.records === 1;
  }

  /**
   * Throws when the log cannot be written any more. A file whose folder was removed accepts writes and loses them; this check takes 1 µs
   * of the 12 that a record takes, so it is always made.
   */
  check(): void {
    if (!this.#broken && fstatSync(this.#fd).nlink === 0) {
      const why = "was removed while in use, nothing more can be kept; start again to begin anew";
      this.#broken = new StoreError(`${this.#path} ${why}`);
    }
    if (this.#broken) throw this.#broken;
  }

  /** Throws if a record could not be written now. It writes bytes after the end mark, which a start would ignore, and removes them. */
  checkWritable(): void {
    this.check();
    try {
      writeAll(this.#fd, PROBE, this.#end.length + END_LENGTH);
    } catch (error) {
      throw explain(`Cannot write ${this.#path}`, error);
    } finally {
      this.#broken = cutBack(this.#path, this.#fd, this.#end);
    }
  }

  append(record: LogRecord): void {
    this.check();
    this.#write(this.#encoded(record));
  }

  /** Ends this log with a record that names the next one, and begins that one, which gets no record before. */
  continueIn(path: string, generation: number): LogWriter {
    this.check();
    const { sum } = encode({ next: generation }, this.#end).end;
    const next = LogWriter.begin(path, generation, sum);
    try {
      this.#write(encode({ next: generation }, this.#end));
      return next;
    } catch (error) {
      // The old log goes on, so the new one must not be found at the next start.
      closeSync(next.#fd);
      rmSync(path, { force: true });
      throw error;
    }
  }

  /** Everything appended so far is on the disk itself. */
  sync(): Promise<void> {
    const syncNow = () => this.#syncNow();
    this.#busy = this.#busy.then(syncNow, syncNow);
    return this.#busy;
  }

  async close(): Promise<void> {
    await this.#busy.catch(() => {});
    this.#broken ??= new StoreError(`${this.#path} is closed; open the store again to write to it`);
    closeSync(this.#fd);
  }

  #encoded(record: LogRecord) {
    try {
      return encode(record, this.#end);
    } catch (error) {
      throw explain(`Cannot write a change to ${this.#path}, it was not kept`, error);
    }
  }

  #write({ bytes, end }: { bytes: Buffer; end: WalPosition }): void {
    try {
      writeAll(this.#fd, bytes, this.#end.length);
    } catch (error) {
      this.#broken = cutBack(this.#path, this.#fd, this.#end);
      throw this.#broken ?? explain(`Cannot write ${this.#path}, the change was not kept`, error);
    }
    // Only once all bytes are in the file.
    this.#end = end;
  }

  async #syncNow(): Promise<void> {
    if (this.#broken) throw this.#broken;
    try {
      await dataSync(this.#fd);
    } catch (error) {
      // After a failed sync it is unknown what is on the disk, so no later commit may be acknowledged.
      this.#broken = explain(`Cannot be sure that ${this.#path} is on the disk, nothing more will be kept`, error);
      throw this.#broken;
    }
  }
}

function cutBack(path: string, fd: number, end: WalPosition): StoreError | null {
  try {
    cutAt(fd, end);
    return null;
  } catch (error) {
    return explain(`Cannot cut half a record off ${path}; stop, and start again to have it repaired`, error);
  }
}
