// The records of a large file, which stay in it: they are read when somebody asks for one, also after another file has taken its name. A
// file that was written to since is held against the checksums that it had.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { TextBlock } from "../state/serialized-record.ts";
import { PUT_BACK } from "./snapshot-frame.ts";
import { explain, StoreError } from "./store-error.ts";

/** Bytes of the file. */
type FileRange = { readonly from: number; readonly length: number };
/** `before` and `after` are the checksums of all that stands before it, and before its end. */
type FileBlock = FileRange & { readonly before: number; readonly after: number };

/** The records of larger ones stay in the file. */
const LARGE = 64 * 1024 * 1024;
/** Windows renames nothing to the name of a file that is open, and removes none. */
const canBeReplacedWhileOpen = process.platform !== "win32";

/** For a file of so many bytes; undefined where its records are to be in memory. */
export const rowFile = (path: string, size: number): RowFile | undefined =>
  size > LARGE && canBeReplacedWhileOpen ? new RowFile(path) : undefined;

export class RowFile {
  readonly #path: string;
  readonly #file: number;
  readonly #blocks: FileBlock[] = [];
  #end = 0;
  /** As it was when it was last found to be unchanged. */
  #state: { size: number; mtimeMs: number } | undefined;
  /** The block that the last record was in, and the one whose bytes are here. */
  #last: FileRange | undefined;
  #latest: FileRange | undefined;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "r");
  }

  /** The block behind the last one. */
  next(length: number, before: number, after: number): TextBlock {
    const block = { from: this.#end, length, before, after };
    this.#end += length;
    this.#blocks.push(block);
    return new RowBlock(this, block);
  }

  /** All bytes of a block; good until another one is read. */
  whole(block: FileRange): Buffer {
    if (block !== this.#latest) {
      this.#latest = undefined;
      this.#mustBeUnchanged();
      this.#read(block);
      this.#latest = block;
    }
    return this.#bytes.subarray(0, block.length);
  }

  /** Who reads a second record of a block reads them in their order. */
  part(block: FileRange, from: number, to: number): Buffer {
    const isSecond = block === this.#last;
    this.#last = block;
    if (isSecond || block === this.#latest) return this.whole(block).subarray(from, to);
    this.#latest = undefined;
    this.#mustBeUnchanged();
    return this.#read({ from: block.from + from, length: to - from });
  }

  #mustBeUnchanged(): void {
    const { size, mtimeMs } = fstatSync(this.#file);
    const { size: before, mtimeMs: at } = this.#state ?? { size, mtimeMs };
    const isAsItWas = size === before && mtimeMs === at;
    if (!isAsItWas && this.#blocks.some((block) => crc32(this.#read(block), block.before) !== block.after))
      throw this.#changed();
    this.#state = { size, mtimeMs };
  }

  #read({ from, length }: FileRange): Buffer {
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(length);
    const bytes = this.#bytes.subarray(0, length);
    try {
      for (let done = 0; done < length; ) {
        const more = readSync(this.#file, bytes, done, length - done, from + done);
        if (more === 0) throw this.#changed();
        done += more;
      }
      return bytes;
    } catch (error) {
      throw explain(`Cannot read ${this.#path}`, error);
    }
  }

  #changed(): StoreError {
    return new StoreError(
      `${this.#path} was changed by another program while it was in use, and a record in it cannot be read any more; kill the sandbox, so that it writes nothing. ${PUT_BACK}`,
    );
  }

  close(): void {
    closeSync(this.#file);
  }
}

class RowBlock implements TextBlock {
  readonly #file: RowFile;
  readonly #stretch: FileRange;

  constructor(file: RowFile, stretch: FileRange) {
    this.#file = file;
    this.#stretch = stretch;
  }

  get whole(): Buffer {
    return this.#file.whole(this.#stretch);
  }

  part(from: number, to: number): Buffer {
    return this.#file.part(this.#stretch, from, to);
  }
}
