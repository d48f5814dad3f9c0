// Reads a world from the database: its snapshots, the changes after them, and the retained entries of its log. The body
// of a snapshot has all records of a world as compressed text, one record per line.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { applyEntry, decodeText, parseEntry, type StoredEntry } from "../../engine/log/index.ts";
import { applyRows, type Collections, createCollections, type RowChange } from "../../engine/world/index.ts";
import { Slice } from "../../platform/slices.ts";
import type { Query } from "./connection.ts";

/** The format of snapshots and of rows of the journal. Version 0.2.0 wrote format 1. */
export const FORMAT = 2;

// Both run on the thread pool of libuv, and leave the event loop free.
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Requests are served between slices. `records` must be a copy that no request changes. */
export async function pack(records: Collections): Promise<Buffer> {
  const slice = new Slice();
  const lines: string[] = [];
  for (const [collection, rows] of Object.entries(records))
    for (const row of rows.all()) {
      lines.push(`${JSON.stringify([collection, row.id, row])}\n`);
      if (slice.isOver) await slice.pause();
    }
  // Level 3 takes much less processor time than the default, and somewhat more bytes.
  return compress(lines.join(""), { level: 3 });
}

/** Puts the records of a body into a world. Version 0.2.0 also wrote removed records, and lists of changes as one line. */
async function unpack(body: Buffer, world: Collections): Promise<void> {
  const slice = new Slice();
  const text = (await decompress(body)).toString();
  for (const line of text.split("\n")) {
    if (line !== "") applyChanges(world, JSON.parse(line));
    if (slice.isOver) await slice.pause();
  }
}

/** Applies one change, which begins with the name of its collection, or a list of changes. */
function applyChanges(world: Collections, line: RowChange | readonly RowChange[]): void {
  applyRows(world, (typeof line[0] === "string" ? [line] : line) as readonly RowChange[]);
}

/** A snapshot is written when the rows since the last one have this many bytes, and this many times its size. */
const MIN_ROW_BYTES = 1 << 20;
const MAX_ROW_SHARE = 8;

/** A world that this node owns: the epoch, the last entry, and the size of its rows in the database. */
export class HeldWorld {
  readonly id: string;
  /** The number of this ownership; 0 until the world is written. */
  epoch = 0;
  /** The last entry that changed the world, queued or written. */
  seq = 0;
  /** The bytes of the rows since the last snapshot, and of the snapshot. */
  rows = 0;
  snapshot = 0;
  /** The value of next_due_at in the database, in ms. */
  due: number | undefined;
  /** The world is being released, so no entry is added. `due`: next_due_at from then on. */
  closing: { due: number | undefined; released: Promise<void> } | undefined;
  /** Why this node has lost the world. An object that is lost is never used again. */
  lost: Error | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Whether a snapshot is worth its cost. It shortens what the next owner has to read. */
  get isLong(): boolean {
    return this.rows > Math.max(MIN_ROW_BYTES, MAX_ROW_SHARE * this.snapshot);
  }
}

/** A world can't be read, though the database has not failed. */
export class Unreadable extends Error {}

/** `template`: version 0.2.0 stored separately what many worlds have in common. */
type SnapshotRow = { name: string; seq: number; format: number; body: Buffer; template: Buffer | null };
type JournalRow = { seq: number; format: number; kind: string; previous: number | null; record: string };

/**
 * `firstPoint`: commits after this number are retained. Throws `Unreadable` if a change is missing or of a newer
 * version, and the driver's error if the database fails.
 */
export async function loadWorld(query: Query, world: string) {
  const worlds = new Map([[world, createCollections()]]);
  const held = new HeldWorld(world);
  await readSnapshots(query, held, worlds);
  const snapshotSeq = held.seq;
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
    held.rows += Buffer.byteLength(record);
    if (kind !== "change") continue;
    // A gap means that the database has lost an acknowledged commit. In format 1 the numbers of a world had no gaps.
    const before = format === 1 ? seq - 1 : previous;
    if (before !== held.seq || (format > 1 && !entry))
      throw new Unreadable(
        `The database lacks entry ${before} of world ${world}, and has entry ${seq}. Nothing was changed. Restore the world from a backup, or remove it.`,
      );
    if (entry) applyEntry(worlds, parseEntry(entry));
    else applyChanges(worlds.get(world) ?? createCollections(), JSON.parse(record));
    held.seq = seq;
  }
  return { state: worlds, entries, firstPoint: firstPoint ?? snapshotSeq, held };
}

async function readSnapshots(query: Query, held: HeldWorld, worlds: Map<string, Collections>): Promise<void> {
  const world = held.id;
  const rows = await query<SnapshotRow>(
    `select s.name, s.seq::float8 as seq, s.format, s.body, t.body as template
     from snapshots s left join templates t on t.hash = s.template where s.world = $1 order by s.name`,
    [world],
  );
  for (const { name, seq, format, template, body } of rows) {
    assertKnown(format, world);
    const records = createCollections();
    worlds.set(name === "" ? world : `${world}@${name}`, records);
    if (template) await unpack(template, records);
    await unpack(body, records);
    if (name === "") Object.assign(held, { seq, snapshot: body.length });
  }
}

function assertKnown(format: number, world: string): void {
  if (format <= FORMAT) return;
  throw new Unreadable(
    `World ${world} was written by a newer version of the sandbox (format ${format}; this version reads ${FORMAT}). Start the newer version in place of this one.`,
  );
}
