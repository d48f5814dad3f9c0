// The text of a snapshot: one JSON document with one record per line, so that people and tools can read it, and yet it is written and
// read in slices. The first line names the log record that the snapshot follows; the last one carries a checksum of all lines before
// it, and says whether a log belongs to it: `"open":1` from before the first commit until the store was closed.
import { crc32 } from "node:zlib";
import { textOf } from "../state/serialized-record.ts";
import type { Row, StateDump, StoredWorld } from "./log-records.ts";

export type Snapshot = {
  readonly format: number;
  readonly generation: number;
  /** The checksum that its log continues from, in hex; null in format 1, which had none. */
  readonly after: string | null;
  /** It is incomplete without its log. */
  readonly open: boolean;
  /** Of an incremental snapshot, which holds only the worlds that had changed: where the other ones are. */
  readonly index?: SnapshotIndex | undefined;
  readonly state: StateDump;
  /** The same as maps, when it was read; the reader of the file may change them. */
  readonly worlds?: Map<string, StoredWorld>;
  /** The length of each world, filled while the snapshot is written or read. */
  readonly sizes: Map<string, number>;
};

/** Every snapshot file that is needed, with the checksum in its first line, and every world with the file that holds it. */
export type SnapshotIndex = {
  readonly files: readonly (readonly [generation: number, after: string])[];
  readonly worlds: readonly (readonly [world: string, generation: number])[];
};

/** Format 3 knows incremental snapshots; a data file of format 2 is like ours otherwise. */
export const FORMAT = 3;
/** Read, and written in our format at once: its logs are not chained, and it does not say whether one belongs to it. */
const FIRST_FORMAT = 1;
/** Characters per slice: about 1 ms of work. */
const SLICE = 256 * 1024;

/** All lines but the last, in slices. */
export function* slices(snapshot: Snapshot): Generator<string> {
  let text = firstLine(snapshot);
  let yielded = 0;
  let comma = "";
  for (const [world, collections] of snapshot.state) {
    const start = yielded + text.length;
    text += `${comma}\n${JSON.stringify(world)}:{`;
    comma = "";
    for (const [name, rows] of collections) {
      text += `${comma}\n${JSON.stringify(name)}:{`;
      comma = "";
      for (const row of rows) {
        text += `${comma}\n${JSON.stringify(row.id)}:${textOf(row)}`;
        comma = ",";
        if (text.length < SLICE) continue;
        yield text;
        yielded += text.length;
        text = "";
      }
      text += "\n}";
      comma = ",";
    }
    text += "\n}";
    comma = ",";
    snapshot.sizes.set(world, yielded + text.length - start);
  }
  yield `${text}\n`;
}

function firstLine({ format, generation, after, index }: Snapshot): string {
  const behind = after === null ? "" : `"after":"${after}",`;
  const others = index ? `"index":${JSON.stringify(index)},` : "";
  return `{"format":${format},"generation":${generation},${behind}${others}"worlds":{`;
}

export function lastLine(checksum: number, open: boolean): string {
  return `},"checksum":"${hex(checksum)}","open":${open ? 1 : 0}}\n`;
}

export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/** The checksum that a snapshot has in our own layout, whatever layout it was read from. */
export function checksumOf(snapshot: Snapshot): string {
  let sum = 0;
  for (const text of slices(snapshot)) sum = crc32(text, sum);
  return hex(sum);
}

export function isRow(value: unknown, id: string): value is Row {
  return typeof value === "object" && value !== null && "id" in value && value.id === id;
}

/** Why a text is not a snapshot, and in which line; a final one would fail as well when the text is read as a whole. */
export class Misread extends Error {
  readonly line: number;
  readonly final: boolean;
  /** What to do about it. */
  readonly advice: string;
  constructor(why: string, line = 0, final = false, advice = RESTORE) {
    super(why);
    this.line = line;
    this.final = final;
    this.advice = advice;
  }
}

const RESTORE = "Restore it from a copy, or move it away, or start with --fresh to replace it";

/** Throws for a format that this version does not read; `where` says what names it: it, or line 1. */
export function mustBeReadable(format: unknown, where: string, line = 0): asserts format is number {
  if (format === FIRST_FORMAT || format === 2 || format === FORMAT) return;
  const found = `${where} says format ${JSON.stringify(format)}, and this version reads formats 1 to ${FORMAT}`;
  if (typeof format !== "number" || format < FORMAT) throw new Misread(found, line);
  throw new Misread(found, line, true, `Install the newer version that wrote it. ${RESTORE}`);
}
