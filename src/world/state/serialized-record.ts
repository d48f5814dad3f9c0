// A record as text, outside the heap: as it came from the data file, or as bulk data is laid aside. It costs nothing when garbage is
// collected, and most records of a large world are not asked for in the life of a process. It is read each time it is asked for; the
// latest stay read.
import { membersIn } from "./member-scan.ts";

export type Row = { id: string };

export class SerializedRecord<R extends { id: string } = Row> {
  readonly id: string;
  readonly #block: Buffer;
  readonly #from: number;
  readonly #to: number;

  /** The text stands in a block of the file from one byte to another, and is known to be a record with this id. */
  constructor(id: string, block: Buffer, from: number, to: number) {
    this.id = id;
    this.#block = block;
    this.#from = from;
    this.#to = to;
  }

  get text(): string {
    return this.#block.toString("utf8", this.#from, this.#to);
  }

  read(): R {
    return JSON.parse(this.text) as R;
  }

  /** A record with at least these members. */
  readOnly(members: readonly (keyof R & string)[]): R {
    return (membersIn(this.#block, this.#from, this.#to, members) as R | undefined) ?? this.read();
  }
}

const BLOCK = 1 << 20;

/** Writes records as text, one behind the other, into blocks. */
export class RecordSerializer {
  #block = Buffer.alloc(0);
  #at = 0;

  serialize<R extends { id: string }>(record: R): SerializedRecord<R> {
    const text = JSON.stringify(record);
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

export function textOf(stored: Stored): string {
  return stored instanceof SerializedRecord ? stored.text : JSON.stringify(stored);
}

/** For those who look at everything once. */
export function readOnce<R extends { id: string }>(stored: Stored<R>): R {
  return stored instanceof SerializedRecord ? stored.read() : stored;
}

/** Records of all worlds that were asked for lately; twice as many at most. */
const MOST = 5_000;
let lately = new Map<SerializedRecord, Row>();
let before = lately;

/** For those who ask for one record, and may ask again. */
export function readCached<R extends { id: string }>(stored: Stored<R>): R {
  if (!(stored instanceof SerializedRecord)) return stored;
  const known = lately.get(stored);
  if (known) return known as R;
  const record = (before.get(stored) as R | undefined) ?? stored.read();
  if (lately.size >= MOST) {
    before = lately;
    lately = new Map();
  }
  lately.set(stored, record);
  return record;
}
