// The text of a snapshot: one JSON document with one record per line, so that people and tools can read it, and yet it is written and
// read in slices.
import { crc32 } from "node:zlib";
import type { Row } from "./log-records.ts";
import { firstLine, hex, type Snapshot } from "./snapshot-frame.ts";

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
        text += `${comma}\n${JSON.stringify(row.id)}:${JSON.stringify(row)}`;
        comma = ",";
        // Between two records, so that no record is cut.
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
    // Known only now, and needed to judge when the next snapshot is worth its cost.
    snapshot.sizes.set(world, yielded + text.length - start);
  }
  yield `${text}\n`;
}

/** The checksum that a snapshot has in our own layout, whatever layout it was read from. */
export function checksumOf(snapshot: Snapshot): string {
  let sum = 0;
  for (const text of slices(snapshot)) sum = crc32(text, sum);
  return hex(sum);
}

/** Anything else under a key would be found by one id and known by another. */
export function isRow(value: unknown, id: string): value is Row {
  return typeof value === "object" && value !== null && "id" in value && value.id === id;
}
