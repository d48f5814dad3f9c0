// Reads a world from the database: its snapshots, the changes after them, and the retained entries of its log. The body
// of a snapshot has all records of a world as compressed text, one record per line.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import {
  applyEntry,
  decodeText,
  parseEntry,
  type StoredEntry,
  type StoredWorlds,
  toState,
  type WorldRecords,
} from "../../engine/log/index.ts";
import type { RowChange } from "../../engine/world/index.ts";
import { Slice } from "../../platform/slices.ts";
import type { Query } from "./connection.ts";

/** The format of snapshots and of rows of the journal. Version 0.2.0 wrote format 1. */
export const FORMAT = 2;

// Both run on the thread pool of libuv, and leave the event loop free.
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Requests are served between slices. `records` must be a copy that no request changes. */
export async function pack(records: WorldRecords): Promise<Buffer> {
  const slice = new Slice();
  const lines: string[] = [];
  for (const [collection, rows] of records)
    for (const row of rows) {
      lines.push(`${JSON.stringify([collection, row.id, row])}\n`);
      if (slice.isOver) await slice.pause();
    }
  // Level 3 takes much less processor time than the default, and somewhat more bytes.
  return compress(lines.join(""), { level: 3 });
}

type StoredCollections = StoredWorlds extends Map<string, infer C> ? C : never;

/** Puts the records of a body into a world. Version 0.2.0 also wrote removed records, and lists of changes as one line. */
async function unpack(body: Buffer, world: StoredCollections): Promise<void> {
  const slice = new Slice();
  const text = (await decompress(body)).toString();
  for (const line of text.split("\n")) {
    if (line !== "") applyChanges(world, JSON.parse(line));
    if (slice.isOver) await slice.pause();
  }
}

/** Applies one change, which begins with the name of its collection, or a list of changes. */
function applyChanges(world: StoredCollections, line: RowChange | readonly RowChange[]): void {
  const isOne = (changes: RowChange | readonly RowChange[]): changes is RowChange => typeof changes[0] === "string";
  for (const [collection, id, row] of isOne(line) ? [line] : line) {
    const rows = world.get(collection) ?? new Map();
    world.set(collection, rows);
    if (row) rows.set(id, row);
    else rows.delete(id);
  }
}

/** The last change, and the bytes of the rows after the snapshot and of the snapshot. */
interface Known {
  seq: number;
  rows: number;
  snapshot: number;
}

/** A world can't be read, though the database has not failed. */
export class Unreadable extends Error {}

interface SnapshotRow {
  name: string;
  seq: number;
  format: number;
  body: Buffer;
  /** Version 0.2.0 stored separately what many worlds have in common. */
  template: Buffer | null;
}

interface JournalRow {
  seq: number;
  format: number;
  kind: string;
  previous: number | null;
  record: string;
}

/**
 * `firstPoint`: commits after this number are retained. Throws `Unreadable` if a change is missing or of a newer
 * version, and the driver's error if the database fails.
 */
export async function loadWorld(query: Query, world: string) {
  const worlds: StoredWorlds = new Map([[world, new Map()]]);
  const known: Known = { seq: 0, rows: 0, snapshot: 0 };
  await readSnapshots(query, world, worlds, known);
  const snapshotSeq = known.seq;
  const entries: StoredEntry[] = [];
  let firstPoint: number | undefined;
  const rows = await query<JournalRow>(
    `select seq::float8 as seq, format, kind, previous::float8 as previous, record
     from journal where world = $1 order by journal.seq`,
    [world],
  );
  for (const { seq, format, kind, previous, record } of rows) {
    assertKnown(format, world);
    const entry = format === 1 ? undefined : decodeText(record);
    if (entry) entries.push(entry);
    if (kind === "change" || kind === "outcome") firstPoint ??= seq - 1;
    if (seq <= snapshotSeq) continue;
    known.rows += Buffer.byteLength(record);
    if (kind !== "change") continue;
    // A gap means that the database has lost an acknowledged commit. In format 1 the numbers of a world had no gaps.
    const before = format === 1 ? seq - 1 : previous;
    if (before !== known.seq || (format > 1 && !entry))
      throw new Unreadable(
        `The database lacks entry ${before} of world ${world}, and has entry ${seq}. Nothing was changed. Restore the world from a backup, or remove it.`,
      );
    if (entry) applyEntry(worlds, parseEntry(entry));
    else applyChanges(worlds.get(world) ?? new Map(), JSON.parse(record));
    known.seq = seq;
  }
  return { state: toState(worlds), entries, firstPoint: firstPoint ?? snapshotSeq, known };
}

async function readSnapshots(query: Query, world: string, worlds: StoredWorlds, known: Known): Promise<void> {
  const rows = await query<SnapshotRow>(
    `select s.name, s.seq::float8 as seq, s.format, s.body, t.body as template
     from snapshots s left join templates t on t.hash = s.template where s.world = $1 order by s.name`,
    [world],
  );
  for (const { name, seq, format, template, body } of rows) {
    assertKnown(format, world);
    const records = new Map();
    worlds.set(name === "" ? world : `${world}@${name}`, records);
    if (template) await unpack(template, records);
    await unpack(body, records);
    if (name === "") Object.assign(known, { seq, snapshot: body.length });
  }
}

function assertKnown(format: number, world: string): void {
  if (format <= FORMAT) return;
  throw new Unreadable(
    `World ${world} was written by a newer version of the sandbox (format ${format}; this version reads ${FORMAT}). Start the newer version in place of this one.`,
  );
}
