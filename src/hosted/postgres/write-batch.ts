// How a batch is written: the rows of its worlds are locked, and whose epoch is not this ownership's any more is left out as a whole. The
// lock and a takeover wait for each other. A batch of commits only, as nearly all are, is one statement.
import type { BatchEntry } from "./batch.ts";
import { type Database, type Query, SERVER } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { FORMAT } from "./packed-rows.ts";
import type { Bodies } from "./prepare.ts";
import { type Room, roomOfTeams } from "./team-room.ts";
import { cloneWorld, dropWorld, forgetSnapshot, loadWorldRow, saveSnapshot } from "./write-world.ts";

export interface Writer {
  node: string;
  /** The server that this node is confirmed by. */
  server: string;
}

/** World → its next_due_at, where that has changed. */
export type Dues = ReadonlyMap<HeldWorld, number | undefined>;

type Commit = Extract<BatchEntry, { do: "commit" }>;

/** `$1`: the node, `$2`: the server, `$3` and `$4`: the worlds and their epochs. Always in the order of ids, so that two can't deadlock. */
const MINE = `select w.id, w.epoch from worlds w
  join unnest($3::text[], $4::bigint[]) as held (id, epoch) on held.id = w.id and held.epoch = w.epoch
  where w.owner = $1 and ${SERVER} = $2 order by w.id for no key update of w`;

/** A due time of null clears it; to_timestamp of null is null. */
const SET_DUE = (values: string) => `update worlds w set next_due_at = to_timestamp(d.at / 1000)
  from unnest(${values}) as d (id, at)`;

/** Materialized, so that the rows are locked once and before anything is inserted. */
const ONE_STATEMENT = `with mine as materialized (${MINE}), written as (
  insert into journal (world, seq, epoch, format, record)
  select r.world, r.seq, mine.epoch, ${FORMAT}, r.record
  from unnest($5::text[], $6::bigint[], $7::text[]) as r (world, seq, record) join mine on mine.id = r.world
), due as (
  ${SET_DUE("$8::text[], $9::float8[]")} join mine on mine.id = d.id where w.id = d.id
) select id from mine`;

/** `lost`: another node has taken them, or made them. `rejected`: their team has no room for them. Nothing of these is written. */
interface Left {
  lost: Set<HeldWorld>;
  rejected: Map<HeldWorld, Error>;
}

/** Rejects where the statement failed: then nobody knows whether it was carried out. */
export async function writeBatch(
  database: Database,
  writer: Writer,
  entries: readonly BatchEntry[],
  { bodies, dues }: { bodies: Bodies; dues: Dues },
): Promise<Left> {
  const worlds = [...new Set(entries.map(({ held }) => held))];
  const commits = entries.filter((entry): entry is Commit => entry.do === "commit");
  // The common case takes one round trip. A world without an epoch is being made, and needs its row first.
  if (commits.length === entries.length && worlds.every(({ epoch }) => epoch > 0)) {
    const values = [...heldValues(writer, worlds), ...columns(commits), ...dueValues(dues)];
    const { rows } = await database.query<{ id: string }>(ONE_STATEMENT, values);
    return { lost: others(worlds, rows), rejected: new Map() };
  }
  return database.transaction(async (query) => {
    const left: Left = { lost: await locked(query, writer, worlds), rejected: new Map() };
    const room = await roomOfTeams(query, entries);
    await writeEach(query, writer, { entries, bodies, room }, left);
    const [ids, ats] = dueValues(new Map([...dues].filter(([held]) => !isLeftOut(left, held))));
    if (ids.length > 0) await query(`${SET_DUE("$1::text[], $2::float8[]")} where w.id = d.id`, [ids, ats]);
    return left;
  });
}

/** Locks these worlds for the transaction; answers those that this node does not own any more. */
export async function locked(query: Query, writer: Writer, all: readonly HeldWorld[]): Promise<Set<HeldWorld>> {
  const worlds = all.filter(({ epoch }) => epoch > 0);
  if (worlds.length === 0) return new Set();
  const { rows } = await query<{ id: string }>(MINE, heldValues(writer, worlds));
  return others(worlds, rows);
}

/** In the order of the entries, because a snapshot holds what was committed before it; runs of commits go together. */
async function writeEach(
  query: Query,
  { node }: Writer,
  { entries, bodies, room }: { entries: readonly BatchEntry[]; bodies: Bodies; room: Room },
  left: Left,
): Promise<void> {
  const { lost, rejected } = left;
  let commits: Commit[] = [];
  const flush = async () => {
    if (commits.length > 0) await insertCommits(query, commits);
    commits = [];
  };
  for (const entry of entries) {
    const { held } = entry;
    // A copy of what was lost would begin with commits that nobody acknowledged.
    if (entry.do === "clone" && lost.has(entry.from)) lost.add(held);
    if (entry.do === "clone" && rejected.has(entry.from)) rejected.set(held, rejected.get(entry.from) as Error);
    if (isLeftOut(left, held)) continue;
    if (entry.do === "commit") {
      commits.push(entry);
      continue;
    }
    // A drop or a checkpoint must find the commits before it in the table.
    await flush();
    if (entry.do === "drop") await dropWorld(query, held);
    else if (entry.do === "forget") await forgetSnapshot(query, held, entry.name);
    else if (entry.do === "save") await saveSnapshot(query, entry, bodies.get(entry));
    else {
      const full = entry.made && (await room(entry.made));
      if (full) {
        rejected.set(held, full);
        continue;
      }
      const isThere =
        entry.do === "clone"
          ? await cloneWorld(query, node, entry)
          : await loadWorldRow(query, node, entry, bodies.get(entry));
      if (!isThere) lost.add(held);
    }
  }
  await flush();
}

const isLeftOut = ({ lost, rejected }: Left, held: HeldWorld): boolean => lost.has(held) || rejected.has(held);

async function insertCommits(query: Query, commits: readonly Commit[]): Promise<void> {
  const epochs = commits.map(({ held }) => held.epoch);
  await query(
    `insert into journal (world, seq, format, record, epoch)
     select world, seq, ${FORMAT}, record, epoch
     from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) as r (world, seq, record, epoch)`,
    [...columns(commits), epochs],
  );
}

const others = (worlds: readonly HeldWorld[], rows: readonly { id: string }[]): Set<HeldWorld> => {
  const mine = new Set(rows.map(({ id }) => id));
  return new Set(worlds.filter(({ id }) => !mine.has(id)));
};

const heldValues = ({ node, server }: Writer, worlds: readonly HeldWorld[]): unknown[] => [
  node,
  server,
  worlds.map(({ id }) => id),
  worlds.map(({ epoch }) => epoch),
];

const columns = (commits: readonly Commit[]): [string[], number[], string[]] => [
  commits.map(({ held }) => held.id),
  commits.map(({ seq }) => seq),
  commits.map(({ text }) => text),
];

const dueValues = (dues: Dues): [string[], (number | null)[]] => [
  Array.from(dues.keys(), ({ id }) => id),
  Array.from(dues.values(), (due) => due ?? null),
];
