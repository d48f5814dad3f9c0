// The journal, written: what was committed since the snapshot. A record is in the file before append returns; a write that fails
// leaves the file as it was.
import { closeSync, fdatasync, fdatasyncSync, fstatSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import type { LogRecord } from "./log-records.ts";
import { explain, StoreError } from "./store-error.ts";
import { endAt, opened, writeAll } from "./wal-bytes.ts";
import { encode, type Place } from "./wal-reader.ts";

const dataSync = promisify(fdatasync);

export class Journal {
  readonly #path: string;
  readonly #fd: number;
  #place: Place;
  #broken: StoreError | null = null;
  #busy: Promise<void> = Promise.resolve();

  private constructor(path: string, fd: number, place: Place) {
    this.#path = path;
    this.#fd = fd;
    this.#place = place;
  }

  /** A new journal, which goes on from this checksum. It is on the disk itself before anything says that it is there. */
  static begin(path: string, generation: number, sum: number): Journal {
    return opened(path, "w+", (fd) => {
      const { bytes, behind } = encode({ journal: generation }, { length: 0, records: 0, sum });
      writeAll(fd, bytes, 0);
      fdatasyncSync(fd);
      return new Journal(path, fd, behind);
    });
  }

  /** One that is there, from this place on; anything behind it is cut off. */
  static resume(path: string, place: Place): Journal {
    return opened(path, "r+", (fd) => {
      endAt(fd, place);
      return new Journal(path, fd, place);
    });
  }

  get length(): number {
    return this.#place.length;
  }

  /** The checksum that whatever comes next goes on from. */
  get sum(): number {
    return this.#place.sum;
  }

  get isEmpty(): boolean {
    return this.#place.records === 1;
  }

  /**
   * Throws when nothing can be kept any more. A file whose folder was removed takes writes and loses them; asking costs 1 µs
   * of the 12 that a record takes, so it is always asked.
   */
  check(): void {
    if (!this.#broken && fstatSync(this.#fd).nlink === 0) {
      const why = "was removed while in use, nothing more can be kept; start again to begin anew";
      this.#broken = new StoreError(`${this.#path} ${why}`);
    }
    if (this.#broken) throw this.#broken;
  }

  append(line: LogRecord): void {
    this.check();
    this.#write(this.#encoded(line));
  }

  /** Ends this journal with a record that says so, and begins the next one, which has nothing before that record is there. */
  continueIn(path: string, generation: number): Journal {
    this.check();
    const last = encode({ next: generation }, this.#place);
    const next = Journal.begin(path, generation, last.behind.sum);
    try {
      this.#write(last);
      return next;
    } catch (error) {
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

  #encoded(line: LogRecord) {
    try {
      return encode(line, this.#place);
    } catch (error) {
      throw explain(`Cannot write a change to ${this.#path}, it was not kept`, error);
    }
  }

  #write({ bytes, behind }: { bytes: Buffer; behind: Place }): void {
    try {
      writeAll(this.#fd, bytes, this.#place.length);
    } catch (error) {
      this.#broken = cutBack(this.#path, this.#fd, this.#place);
      throw this.#broken ?? explain(`Cannot write ${this.#path}, the change was not kept`, error);
    }
    this.#place = behind;
  }

  async #syncNow(): Promise<void> {
    if (this.#broken) throw this.#broken;
    try {
      await dataSync(this.#fd);
    } catch (error) {
      // After a failed sync nobody can say what is on the disk; saying "kept" again would be a guess.
      this.#broken = explain(`Cannot be sure that ${this.#path} is on the disk, nothing more will be kept`, error);
      throw this.#broken;
    }
  }
}

function cutBack(path: string, fd: number, place: Place): StoreError | null {
  try {
    endAt(fd, place);
    return null;
  } catch (error) {
    return explain(`Cannot cut half a record off ${path}; stop, and start again to have it repaired`, error);
  }
}
