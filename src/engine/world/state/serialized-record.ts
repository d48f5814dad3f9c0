// A record as text outside the JavaScript heap: in a large data file, read from a smaller one, or serialized after bulk work. It costs
// nothing in garbage collection, and most records of a large world are never read by a process. Each read parses the text; the latest
// results are cached.
import { membersIn } from "./member-scan.ts";

export type Row = { id: string };

/** A stretch of a file that is not in memory. Bytes are good until others of the file are asked for. Throws where the file has changed. */
export interface TextBlock {
  readonly whole: Buffer;
  part(from: number, to: number): Buffer;
}

const wholeOf = (block: Buffer | TextBlock): Buffer => (Buffer.isBuffer(block) ? block : block.whole);

const BRAND = Symbol.for("experience-sandbox/serialized-record");

export class SerializedRecord<R extends { id: string } = Row> {
  readonly id: string;
  readonly #block: Buffer | TextBlock;
  readonly #from: number;
  readonly #to: number;

  /** `block` holds the text of a record with this id from byte `from` to byte `to`. */
  constructor(id: string, block: Buffer | TextBlock, from: number, to: number) {
    this.id = id;
    this.#block = block;
    this.#from = from;
    this.#to = to;
  }

  /** What the build puts apart, as the part for databases, has a copy of this class of its own. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return (value as { [BRAND]?: true } | undefined)?.[BRAND] === true;
  }

  get [BRAND](): true {
    return true;
  }

  /** Good until another record is read. */
  get bytes(): Buffer {
    return Buffer.isBuffer(this.#block)
      ? this.#block.subarray(this.#from, this.#to)
      : this.#block.part(this.#from, this.#to);
  }

  get text(): string {
    return Buffer.isBuffer(this.#block)
      ? this.#block.toString("utf8", this.#from, this.#to)
      : this.#block.part(this.#from, this.#to).toString();
  }

  /** Whether what is looked for stands in its text. */
  has(search: TextSearch): boolean {
    return search.within(this.#block, this.#from, this.#to);
  }

  read(): R {
    return JSON.parse(this.text) as R;
  }

  /** For a log, whose line is made of the records themselves. */
  toJSON(): R {
    return this.read();
  }

  /** A record with at least these members. */
  readOnly(members: readonly (keyof R & string)[]): R {
    const found = Buffer.isBuffer(this.#block)
      ? membersIn(this.#block, this.#from, this.#to, members)
      : membersIn(this.bytes, 0, this.#to - this.#from, members);
    return (found as R | undefined) ?? this.read();
  }
}

/** Looks for one JSON text in many records: in a whole block first, which takes a fraction of the time. */
export class TextSearch {
  readonly #bytes: Buffer;
  /** A record is full of quotation marks: a search that begins with one takes twice as long. */
  readonly #end: Buffer;
  readonly #holds = new Map<Buffer | TextBlock, boolean>();
  #block: Buffer | TextBlock | undefined;
  #held = false;

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
    this.#end = this.#bytes.subarray(1);
  }

  within(block: Buffer | TextBlock, from: number, to: number): boolean {
    if (block !== this.#block) {
      this.#block = block;
      this.#held = this.#holds.get(block) ?? wholeOf(block).includes(this.#end);
      this.#holds.set(block, this.#held);
    }
    return this.#held && wholeOf(block).subarray(from, to).includes(this.#bytes);
  }
}

const BLOCK = 1 << 20;

/** A text, and where it stands in UTF-8. */
export interface TextAt {
  text: string;
  block: Buffer;
  from: number;
  to: number;
}

/** Writes records as text, one behind the other, into blocks. */
export class RecordSerializer {
  #block = Buffer.alloc(0);
  #at = 0;

  /** `read`: what the record was read from, which is where it stays if it would be written in the same way. */
  serialize<R extends { id: string }>(record: R, read?: TextAt): SerializedRecord<R> {
    const text = JSON.stringify(record);
    if (read?.text === text) return new SerializedRecord<R>(record.id, read.block, read.from, read.to);
    const most = text.length * 3;
    if (this.#block.length - this.#at < most) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK, most));
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += this.#block.write(text, from);
    return new SerializedRecord<R>(record.id, this.#block, from, this.#at);
  }
}

export type Stored<R extends { id: string } = Row> = R | SerializedRecord<R>;

/** Rows in order; where they were read into a map, it is the caller's to take. */
export interface StoredRows<R extends { id: string } = Row> extends Iterable<Stored<R>> {
  readonly byId?: Map<string, Stored<R>>;
}

export function textOf(stored: Stored): string {
  return stored instanceof SerializedRecord ? stored.text : JSON.stringify(stored);
}

/** For a reader of all records: the result is not cached. */
export function readOnce<R extends { id: string }>(stored: Stored<R>): R {
  return stored instanceof SerializedRecord ? stored.read() : stored;
}

/**
 * Size of each of the two generations of the cache. It holds no record by itself: a record holds the whole block it stands in, which would
 * outlive the world.
 */
const MOST = 5_000;
let recent = new WeakMap<SerializedRecord, Row>();
let older = recent;
let cached = 0;

/** At least these members of it. */
export function readMembers<R extends { id: string }>(stored: Stored<R>, members: readonly (keyof R & string)[]): R {
  return stored instanceof SerializedRecord ? stored.readOnly(members) : stored;
}

/** For a reader of single records, who may read one again. */
export function readCached<R extends { id: string }>(stored: Stored<R>): R {
  if (!(stored instanceof SerializedRecord)) return stored;
  const known = recent.get(stored);
  if (known) return known as R;
  const record = (older.get(stored) as R | undefined) ?? stored.read();
  if (cached >= MOST) {
    older = recent;
    recent = new WeakMap();
    cached = 0;
  }
  recent.set(stored, record);
  cached++;
  return record;
}
