// How the records of the store become statements: a world is a checkpoint and the commits after it. The keys of snapshots are worlds too.
import type { Change, LogRecord } from "../../log-records.ts";
import type { Query } from "../connection.ts";
import { FORMAT, lineOf, packed } from "./packed-rows.ts";

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
  teamOf: ReadonlyMap<string, string | null>,
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
      await replace(query, record.load, teamOf.get(record.load));
      await writeCheckpoint(query, record.load, 0, await packed(record.rows.map(lineOf)));
      sequences.set(record.load, 0);
    } else {
      await clone(query, record.clone, record.as, teamOf.get(record.as));
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
async function replace(query: Query, world: string, team: string | null = null): Promise<void> {
  await query("insert into worlds (id, team) values ($1, $2) on conflict do nothing", [world, team]);
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

async function clone(query: Query, from: string, as: string, team?: string | null): Promise<void> {
  await replace(query, as, team);
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
     on conflict (world, name) do update set seq = excluded.seq, at = now(), format = excluded.format, body = excluded.body`,
    [world, seq, body],
  );
  await query("delete from journal where world = $1 and seq <= $2", [world, seq]);
}
