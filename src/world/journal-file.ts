// The journal, written: what was committed since the snapshot. A line is in the file before append returns; a write that fails
// leaves the file as it was.
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { encode } from "./journal-lines.ts";
import type { Line } from "./kept.ts";
import { explain, StoreError } from "./store-error.ts";

const dataSync = promisify(fdatasync);

/** A journal to append to; `length` is where its last good line ends, anything behind is cut when it is opened. */
export class Journal {
  readonly #path: string;
  readonly #fd: number;
  #length: number;
  #broken: StoreError | null = null;
  #busy: Promise<void> = Promise.resolve();

  constructor(path: string, length: number) {
    this.#path = path;
    this.#length = length;
    this.#fd = openToAppend(path, length);
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Throws when nothing can be kept any more. A file whose folder was removed takes writes and loses them; asking costs 1 µs
   * of the 12 that a line takes, so it is always asked.
   */
  check(): void {
    if (!this.#broken && fstatSync(this.#fd).nlink === 0) {
      const why = "was removed while in use, nothing more can be kept; start again to begin anew";
      this.#broken = new StoreError(`${this.#path} ${why}`);
    }
    if (this.#broken) throw this.#broken;
  }

  append(line: Line): void {
    this.check();
    const bytes = this.#encoded(line);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      this.#broken = cutBack(this.#path, this.#fd, this.#length);
      throw this.#broken ?? explain(`Cannot write ${this.#path}, the change was not kept`, error);
    }
    this.#length += bytes.length;
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

  #encoded(line: Line): Buffer {
    try {
      return encode(line);
    } catch (error) {
      throw explain(`Cannot write a change to ${this.#path}, it was not kept`, error);
    }
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

function openToAppend(path: string, length: number): number {
  try {
    const fd = openSync(path, "a");
    ftruncateSync(fd, length);
    return fd;
  } catch (error) {
    throw explain(`Cannot open ${path}`, error);
  }
}

function cutBack(path: string, fd: number, length: number): StoreError | null {
  try {
    ftruncateSync(fd, length);
    return null;
  } catch (error) {
    return explain(`Cannot cut half a line off ${path}; stop, and start again to have it repaired`, error);
  }
}
