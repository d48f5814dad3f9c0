// The text of the write-ahead log. Each line is a record, `<checksum> <number> <json>`, and each checksum continues the one before, so
// that a missing, moved or changed record is noticed. The first record names the log, the last one of a finished log the next log. After
// the last record stands an end mark with its checksum, which the next record overwrites: a file that was cut off has none.
import { crc32 } from "node:zlib";
import { lineBlocks } from "./file-lines.ts";
import { isLogRecord, type LogRecord } from "./log-records.ts";
import { hex } from "./snapshot-frame.ts";

/** A position in a log: after so many bytes and records, the last of which has this checksum. */
export type WalPosition = { readonly length: number; readonly records: number; readonly sum: number };
type WalHead = { journal: number };
type Next = { next: number };

/** The first byte of an end mark, which no record begins with. */
const END = ".";
/** A full stop and eight hex digits. */
export const END_LENGTH = 9;
const NEWLINE = 10;
const BLANK = 32;
/** Eight hex digits and a blank. */
const HEAD = 9;

/** Most records fit: a buffer of its own for each would be garbage beside the heap, for which V8 clears it more often. */
const SCRATCH = Buffer.allocUnsafeSlow(1 << 16);
/** Bytes of UTF-8 for one UTF-16 code unit, at most. */
const WIDEST = 3;

/** Good until the next record is encoded. */
function bytesOf(text: string): Buffer {
  if (text.length * WIDEST > SCRATCH.length) return Buffer.from(text);
  return SCRATCH.subarray(0, SCRATCH.write(text));
}

/**
 * The bytes of a record at this position, with the end mark after it, and the position after the record. The bytes are good until the next
 * record is encoded.
 */
export function encode(
  record: LogRecord | WalHead | Next,
  { length, records, sum }: WalPosition,
): { bytes: Buffer; end: WalPosition } {
  // The checksum is written into it afterwards, since it covers the rest of the line.
  const bytes = bytesOf(`00000000 ${records + 1} ${JSON.stringify(record)}\n${END}00000000`);
  const checksum = crc32(bytes.subarray(HEAD, -END_LENGTH - 1), sum);
  bytes.write(hex(checksum), 0, "latin1");
  // And into the end mark.
  bytes.write(hex(checksum), bytes.length - END_LENGTH + 1, "latin1");
  return { bytes, end: { length: length + bytes.length - END_LENGTH, records: records + 1, sum: checksum } };
}

/** What stands after the last record, until the next one overwrites it. */
export function endMark({ sum }: WalPosition): string {
  return END + hex(sum);
}

/** The length of a log that holds nothing but its first record. */
export function headLength(generation: number): number {
  return encode({ journal: generation }, { length: 0, records: 0, sum: 0 }).bytes.length;
}

/** What is wrong with a log, as the rest of a sentence that begins with its path. */
export class Damage extends Error {
  readonly before: WalPosition;
  constructor(why: string, before: WalPosition) {
    super(why);
    this.before = before;
  }
}

export type Replayed = {
  end: WalPosition;
  /** Bytes of a record that was being written when the process ended. */
  torn: number;
  /** Cut off between two records. */
  cut: boolean;
  /** The next log continues where this one ends. */
  full: boolean;
};

type Apply = (record: LogRecord, length: number) => void;

/** `sum` is the checksum that the log of this generation continues from. */
type Chain = { generation: number; sum: number };

/** Replays a log. Without a chain it is one of format 1, whose records each have a checksum of their own. */
export async function replay(path: string, chain: Chain | null, apply: Apply): Promise<Replayed> {
  const reader = new LineReader(chain, apply);
  for await (const block of lineBlocks(path)) {
    // What has no end of line is an end mark, or a record that was torn: it is a block of its own, and is written over later.
    if (block.at(-1) !== NEWLINE) return reader.end(block.toString("latin1"));
    for (let from = 0; from < block.length; ) {
      const to = block.indexOf(NEWLINE, from);
      reader.take(block.subarray(from, to));
      from = to + 1;
    }
  }
  return reader.end("");
}

class LineReader {
  readonly #chain: Chain | null;
  readonly #apply: Apply;
  #position: WalPosition;
  #full = false;

  constructor(chain: Chain | null, apply: Apply) {
    this.#chain = chain;
    this.#apply = apply;
    this.#position = { length: 0, records: 0, sum: chain?.sum ?? 0 };
  }

  /** The bytes of one line, without its newline. */
  take(bytes: Buffer): void {
    const { length, records, sum } = this.#position;
    if (this.#full) throw this.#damage("it goes on behind its last record");
    // Each continues the one before; in format 1 each stands for itself.
    const checksum = crc32(bytes.subarray(HEAD), this.#chain ? sum : 0);
    if (bytes.toString("latin1", 0, HEAD) !== `${hex(checksum)} `) throw this.#mismatch(bytes);
    const start = this.#chain ? bytes.indexOf(BLANK, HEAD) + 1 : HEAD;
    this.#use(this.#parse(bytes.toString("utf8", start)), bytes.length + 1);
    this.#position = { length: length + bytes.length + 1, records: records + 1, sum: checksum };
  }

  end(rest: string): Replayed {
    const [end, full] = [this.#position, this.#full];
    if (this.#chain && end.records === 0) throw this.#damage("its beginning is missing");
    if (!this.#chain) return { end, full, torn: rest.length, cut: false };
    const isMarked = rest === endMark(end);
    // A whole mark of another record: the log was put together from two.
    if (!isMarked && rest.startsWith(END) && rest.length === END_LENGTH)
      throw this.#damage(`the end that stands behind record ${end.records} is not its own`);
    return { end, full, torn: isMarked ? 0 : rest.length, cut: rest === "" };
  }

  #use(record: unknown, length: number): void {
    const first = this.#chain && this.#position.records === 0;
    if (first && member(record, "journal") !== this.#chain?.generation) throw this.#damage("it is another log");
    if (first) return;
    // Its last record names the log that continues.
    this.#full = this.#chain !== null && member(record, "next") !== undefined;
    if (this.#full) return;
    if (!isLogRecord(record))
      throw this.#damage(`record ${this.#position.records + 1} is none that this version knows`);
    this.#apply(record, length);
  }

  #parse(json: string): unknown {
    try {
      return JSON.parse(json);
    } catch {
      throw this.#damage(`record ${this.#position.records + 1} is not JSON`);
    }
  }

  #mismatch(bytes: Buffer): Damage {
    const expected = this.#position.records + 1;
    const found = this.#chain && /^[0-9a-f]{8} (\d+) /.exec(bytes.toString("latin1", 0, 30))?.[1];
    // The number tells whether the record was changed or is another one.
    if (!found || Number(found) === expected) return this.#damage(`record ${expected} does not fit its checksum`);
    return this.#damage(`record ${expected} is missing, record ${found} stands in its place`);
  }

  #damage(why: string): Damage {
    return new Damage(`is damaged: ${why}`, this.#position);
  }
}

function member(record: unknown, name: string): unknown {
  return typeof record === "object" && record !== null ? (record as Record<string, unknown>)[name] : undefined;
}
