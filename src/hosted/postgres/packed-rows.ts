// The body of a snapshot: all records of a world as compressed text, one record per line.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { StoredWorlds, WorldRecords } from "../../engine/log/index.ts";
import type { RowChange } from "../../engine/world/index.ts";
import { Slice } from "../../platform/slices.ts";

/** The format of snapshots and of rows of the journal. Version 0.2.0 wrote format 1. */
export const FORMAT = 2;

// Both run on the thread pool of libuv, and leave the event loop free.
const compress = promisify(gzip);
const decompress = promisify(gunzip);
const PART_LENGTH = 512 * 1024;

/** Requests are served between slices. `records` must be a copy that no request changes. */
export async function pack(records: WorldRecords): Promise<Buffer> {
  const slice = new Slice();
  const parts: Buffer[] = [];
  let text = "";
  const flush = async () => {
    // Level 3 takes much less processor time than the default, and somewhat more bytes.
    parts.push(await compress(text, { level: 3 }));
    text = "";
  };
  for (const [collection, rows] of records)
    for (const row of rows) {
      text += `${JSON.stringify([collection, row.id, row])}\n`;
      if (slice.isOver) await slice.pause();
      if (text.length >= PART_LENGTH) await flush();
    }
  await flush();
  // Concatenated gzip members are one stream (RFC 1952 section 2.2).
  return Buffer.concat(parts);
}

type StoredCollections = StoredWorlds extends Map<string, infer C> ? C : never;

/** Puts the records of a body into a world. Version 0.2.0 also wrote removed records, and lists of changes as one line. */
export async function unpack(body: Buffer, world: StoredCollections): Promise<void> {
  const slice = new Slice();
  const text = (await decompress(body)).toString();
  for (let start = 0, end = text.indexOf("\n"); end !== -1; start = end + 1, end = text.indexOf("\n", start)) {
    applyChanges(world, JSON.parse(text.slice(start, end)));
    if (slice.isOver) await slice.pause();
  }
}

/** Applies one change, which begins with the name of its collection, or a list of changes. */
export function applyChanges(world: StoredCollections, line: RowChange | readonly RowChange[]): void {
  const isOne = (changes: RowChange | readonly RowChange[]): changes is RowChange => typeof changes[0] === "string";
  for (const [collection, id, row] of isOne(line) ? [line] : line) {
    const rows = world.get(collection) ?? new Map();
    world.set(collection, rows);
    if (row) rows.set(id, row);
    else rows.delete(id);
  }
}
