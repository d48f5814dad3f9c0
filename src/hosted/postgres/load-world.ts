// Reads a world from the database: its snapshots, the changes after them, and the retained entries of its log.
import {
  applyEntry,
  decodeText,
  parseEntry,
  type State,
  type StoredEntry,
  type StoredWorlds,
  toState,
} from "../../engine/log/index.ts";
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { applyChanges, FORMAT, unpack } from "./packed-rows.ts";

interface LoadedWorld {
  state: State;
  entries: StoredEntry[];
  /** Commits after this number are retained. */
  firstPoint: number;
  known: Pick<HeldWorld, "seq" | "written" | "rows" | "snapshot" | "named">;
}

/** A world can't be read, though the database has not failed. `isNewer`: a newer version can read it. */
export class Unreadable extends Error {
  readonly isNewer: boolean;
  constructor(why: string, isNewer = false) {
    super(why);
    this.isNewer = isNewer;
  }
}

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

/** Rows per statement, so that each statement stays short. */
const PAGE = 5000;

/** Throws `Unreadable` if a change is missing or of a newer version, and the driver's error if the database fails. */
export async function loadWorld(query: Query, world: string): Promise<LoadedWorld> {
  const worlds: StoredWorlds = new Map([[world, new Map()]]);
  const known = { seq: 0, written: 0, rows: 0, snapshot: 0, named: 0 };
  await readSnapshots(query, world, worlds, known);
  const snapshotSeq = known.seq;
  const entries: StoredEntry[] = [];
  let firstPoint: number | undefined;
  for await (const rows of readJournal(query, world))
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
  known.written = known.seq;
  return { state: toState(worlds), entries, firstPoint: firstPoint ?? snapshotSeq, known };
}

async function readSnapshots(
  query: Query,
  world: string,
  worlds: StoredWorlds,
  known: LoadedWorld["known"],
): Promise<void> {
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
    else known.named += body.length;
  }
}

async function* readJournal(query: Query, world: string): AsyncGenerator<JournalRow[]> {
  for (let last = -1, count = PAGE; count === PAGE; ) {
    const rows = await query<JournalRow>(
      `select seq::float8 as seq, format, kind, previous::float8 as previous, record
       from journal where world = $1 and seq > $2 order by journal.seq limit $3`,
      [world, last, PAGE],
    );
    yield rows;
    last = rows.at(-1)?.seq ?? last;
    count = rows.length;
  }
}

function assertKnown(format: number, world: string): void {
  if (format <= FORMAT) return;
  throw new Unreadable(
    `World ${world} was written by a newer version of the sandbox (format ${format}; this version reads ${FORMAT}). Start the newer version in place of this one.`,
    true,
  );
}
