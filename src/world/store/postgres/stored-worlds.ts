// How the records of the store become statements: a world is a checkpoint and the commits after it. The keys of snapshots are worlds too.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { textOf } from "../../state/serialized-record.ts";
import { type Change, type LogRecord, type Row, type StateDump, Worlds } from "../log-records.ts";
import { StoreError } from "../store-error.ts";
import type { Query } from "./connection.ts";

/** Of a commit and of a checkpoint. */
const FORMAT = 1;
const LOADED_AT_ONCE = 200;

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

/** A commit with its place in its world. */
interface Placed {
  world: string;
  seq: number;
  text: string;
}

/** The number of the last commit of each world. */
export type Sequences = Map<string, number>;

/** Writes records in their order; those next to each other that are commits in one statement. */
export async function writeRecords(
  query: Query,
  epoch: number,
  records: readonly LogRecord[],
  sequences: Sequences,
): Promise<void> {
  let commits: Placed[] = [];
  const flush = async () => {
    if (commits.length > 0) await insertCommits(query, epoch, commits);
    commits = [];
  };
  const add = (world: string, changes: readonly Change[]) => {
    const seq = (sequences.get(world) ?? 0) + 1;
    sequences.set(world, seq);
    commits.push({ world, seq, text: JSON.stringify(changes) });
  };
  for (const record of records) {
    if ("commit" in record) {
      add(record.commit, record.changes);
      continue;
    }
    await flush();
    if ("drop" in record) {
      const dropped = [record.drop].flat();
      await remove(query, dropped);
      for (const world of dropped) sequences.delete(world);
    } else if ("load" in record) {
      await replace(query, record.load);
      await writeCheckpoint(query, record.load, 0, await packed(record.rows.map(lineOf)));
      sequences.set(record.load, 0);
    } else {
      await clone(query, record.clone, record.as);
      sequences.set(record.as, sequences.get(record.clone) ?? 0);
      if (record.changes?.length) add(record.as, record.changes);
    }
  }
  await flush();
}

async function insertCommits(query: Query, epoch: number, commits: readonly Placed[]): Promise<void> {
  await query(
    `insert into journal (world, seq, epoch, format, record)
     select world, seq, $4, ${FORMAT}, record from unnest($1::text[], $2::bigint[], $3::text[]) as t (world, seq, record)`,
    [commits.map(({ world }) => world), commits.map(({ seq }) => seq), commits.map(({ text }) => text), epoch],
  );
}

/** The world begins anew; in the order of worlds it stays where it was. */
async function replace(query: Query, world: string): Promise<void> {
  await query("insert into worlds (id) values ($1) on conflict do nothing", [world]);
  await query("delete from journal where world = $1", [world]);
}

async function remove(query: Query, worlds: readonly string[]): Promise<void> {
  for (const [table, column] of [
    ["journal", "world"],
    ["snapshots", "world"],
    ["worlds", "id"],
  ])
    await query(`delete from ${table} where ${column} = any($1::text[])`, [worlds]);
}

async function clone(query: Query, from: string, as: string): Promise<void> {
  await replace(query, as);
  await query("delete from snapshots where world = $1", [as]);
  await query(
    "insert into snapshots (world, seq, format, body) select $2::text, seq, format, body from snapshots where world = $1",
    [from, as],
  );
  await query(
    "insert into journal (world, seq, epoch, format, record) select $2::text, seq, epoch, format, record from journal where world = $1",
    [from, as],
  );
}

/** Everything of a world up to a commit, which is then no longer needed by itself. */
export async function writeCheckpoint(query: Query, world: string, seq: number, body: Buffer): Promise<void> {
  await query(
    `insert into snapshots (world, seq, format, body) values ($1, $2, ${FORMAT}, $3)
     on conflict (world) do update set seq = excluded.seq, at = now(), format = excluded.format, body = excluded.body`,
    [world, seq, body],
  );
  await query("delete from journal where world = $1 and seq <= $2", [world, seq]);
}

/** The rows of a world as lines: the collection, a tab, the record. */
export function packed(lines: readonly string[]): Promise<Buffer> {
  return pack(lines.join("\n"), { level: 3 });
}

const lineOf = ([collection, , row]: Change): string => `${collection}\t${JSON.stringify(row)}`;

export function linesOf(collections: StateDump extends Iterable<readonly [string, infer C]> ? C : never): string[] {
  const lines: string[] = [];
  for (const [collection, rows] of collections) for (const row of rows) lines.push(`${collection}\t${textOf(row)}`);
  return lines;
}

export interface Loaded {
  state: StateDump;
  sequences: Sequences;
  /** Characters of the commits since the checkpoint, and bytes of that, by world. */
  sizes: Map<string, { commits: number; checkpoint: number }>;
}

/** All worlds as they are in the database; null when there is none. */
export async function load(query: Query): Promise<Loaded | null> {
  const { rows: ids } = await query<{ id: string }>("select id from worlds order by made");
  if (ids.length === 0) return null;
  const worlds = new Worlds(new Map());
  const [sequences, sizes]: [Sequences, Loaded["sizes"]] = [new Map(), new Map()];
  for (let first = 0; first < ids.length; first += LOADED_AT_ONCE) {
    const some = ids.slice(first, first + LOADED_AT_ONCE).map(({ id }) => id);
    const { rows: checkpoints } = await query<{ world: string; seq: string; format: number; body: Buffer }>(
      "select world, seq, format, body from snapshots where world = any($1::text[])",
      [some],
    );
    const byWorld = new Map(checkpoints.map((checkpoint) => [checkpoint.world, checkpoint]));
    for (const world of some) {
      const checkpoint = byWorld.get(world);
      mustBeKnown(checkpoint?.format, world);
      worlds.apply({ load: world, rows: checkpoint ? await rowsIn(checkpoint.body) : [] });
      sequences.set(world, Number(checkpoint?.seq ?? 0));
      sizes.set(world, { commits: 0, checkpoint: checkpoint?.body.length ?? 0 });
    }
    await loadCommits(query, some, { worlds, sequences, sizes });
  }
  return { state: worlds.state, sequences, sizes };
}

async function loadCommits(
  query: Query,
  some: readonly string[],
  { worlds, sequences, sizes }: { worlds: Worlds } & Pick<Loaded, "sequences" | "sizes">,
): Promise<void> {
  const { rows } = await query<{ world: string; seq: string; format: number; record: string }>(
    "select world, seq, format, record from journal where world = any($1::text[]) order by world, seq",
    [some],
  );
  for (const { world, seq, format, record } of rows) {
    mustBeKnown(format, world);
    const expected = (sequences.get(world) ?? 0) + 1;
    if (Number(seq) !== expected)
      throw new StoreError(
        `The database lacks commit ${expected} of world ${world}, and has ${seq}. Nothing was changed. Restore the database from a backup, or delete this world's rows.`,
      );
    worlds.apply({ commit: world, changes: JSON.parse(record) as Change[] });
    sequences.set(world, expected);
    const size = sizes.get(world);
    if (size) size.commits += record.length;
  }
}

function mustBeKnown(format: number | undefined, world: string): void {
  if (format !== undefined && format !== FORMAT)
    throw new StoreError(
      `World ${world} was written by a newer version of the sandbox (format ${format}). Start that version.`,
    );
}

async function rowsIn(body: Buffer): Promise<Change[]> {
  const text = (await unpack(body)).toString("utf8");
  if (text === "") return [];
  return text.split("\n").map((line): Change => {
    const tab = line.indexOf("\t");
    const row = JSON.parse(line.slice(tab + 1)) as Row;
    return [line.slice(0, tab), row.id, row];
  });
}
