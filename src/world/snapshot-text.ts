// The text of a snapshot: one JSON document with one record per line, so that it can be read by people and tools and yet be
// written and read in slices. The last line carries a checksum of all lines before it.
import { crc32 } from "node:zlib";
import { textOf } from "./folded.ts";
import type { Kept, Row, Shelves } from "./kept.ts";

/** `worlds`: the same as it was read; whoever takes it may go on with it. */
export type Snapshot = { readonly generation: number; readonly kept: Kept; readonly worlds?: Map<string, Shelves> };

export const FORMAT = 1;
/** Characters per slice: about 1 ms of work. */
const SLICE = 256 * 1024;

/** All lines but the last, in slices. */
export function* slices({ generation, kept }: Snapshot): Generator<string> {
  let text = `{"format":${FORMAT},"generation":${generation},"worlds":{`;
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

export function lastLine(checksum: number): string {
  return `},"checksum":"${hex(checksum)}"}\n`;
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
  constructor(why: string, line = 0, final = false) {
    super(why);
    this.line = line;
    this.final = final;
  }
}
