// A record as the text it came in from the data file: it costs a fifth of the record itself, and most records of a large world
// are not asked for in the life of a process. It is read each time it is asked for; the latest stay read.
import { membersIn } from "./member-scan.ts";

export type Row = { id: string };

export class Folded<R extends { id: string } = Row> {
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

export type Stored<R extends { id: string } = Row> = R | Folded<R>;

export function textOf(stored: Stored): string {
  return stored instanceof Folded ? stored.text : JSON.stringify(stored);
}

/** For those who look at everything once. */
export function readOnce<R extends { id: string }>(stored: Stored<R>): R {
  return stored instanceof Folded ? stored.read() : stored;
}

/** Records of all worlds that were asked for lately; twice as many at most. */
const MOST = 5_000;
let lately = new Map<Folded, Row>();
let before = lately;

/** For those who ask for one record, and may ask again. */
export function readKept<R extends { id: string }>(stored: Stored<R>): R {
  if (!(stored instanceof Folded)) return stored;
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
