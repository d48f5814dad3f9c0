// The text of a snapshot: one JSON document with one record per line, so that it can be read by people and tools and yet be
// written and read in slices. The first line says which journal record it stands behind; the last one carries a checksum of all lines
// before it, and whether a journal belongs to it: `"open":1` from before the first commit until the store was closed.
import { crc32 } from "node:zlib";
import { textOf } from "../state/serialized-record.ts";
import type { Row, StateDump, StoredWorld } from "./log-records.ts";

export type Snapshot = {
  readonly generation: number;
  /** The checksum that its journal goes on from, in hex; null in format 1, which knew none. */
  readonly after: string | null;
  /** Without its journal it is not whole. */
  readonly open: boolean;
  readonly kept: StateDump;
  /** The same as it was read; whoever takes it may go on with it. */
  readonly worlds?: Map<string, StoredWorld>;
};

export const FORMAT = 2;
/** Read as it is, and written anew in ours: its journals are not chained, and it doesn't say whether one belongs to it. */
const FIRST_FORMAT = 1;
/** Characters per slice: about 1 ms of work. */
const SLICE = 256 * 1024;

/** All lines but the last, in slices. */
export function* slices({ generation, after, kept }: Snapshot): Generator<string> {
  const format = after === null ? FIRST_FORMAT : FORMAT;
  let text = `{"format":${format},"generation":${generation},${after === null ? "" : `"after":"${after}",`}"worlds":{`;
  let comma = "";
  for (const [world, collections] of kept) {
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
        text = "";
      }
      text += "\n}";
      comma = ",";
    }
    text += "\n}";
    comma = ",";
  }
  yield `${text}\n`;
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

/** Why a text cannot be taken for a snapshot, and in which line; a final one is not mended by reading the text as a whole. */
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

/** Refuses a format that this version does not read, which `where` says: it, or line 1. */
export function mustBeReadable(format: unknown, where: string, line = 0): void {
  if (format === FIRST_FORMAT || format === FORMAT) return;
  const said = `${where} says format ${JSON.stringify(format)}, and this version reads formats ${FIRST_FORMAT} and ${FORMAT}`;
  if (typeof format !== "number" || format < FORMAT) throw new Misread(said, line);
  throw new Misread(said, line, true, `Install the newer version that wrote it. ${RESTORE}`);
}
