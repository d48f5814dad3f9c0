// Writes a batch under locks of its worlds. A takeover waits for the locks, and the locks for a takeover. Nearly all
// batches have only rows of the journal, and are one statement.
import type { ListedWorld } from "../../engine/app/index.ts";
import { QuotaError, type StoredEntry, StoreError, type WorldRecords } from "../../engine/log/index.ts";
import { optional } from "../../platform/optional.ts";
import { explainFullTeam } from "../teams/quotas.ts";
import { type Database, type Query, SERVER } from "./connection.ts";
import { FORMAT } from "./load-world.ts";

/** Worlds that are created together for a team, or for none. All are kept, or none is. */
export interface Making {
  readonly team: string | null;
}

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
  closing: { due: number | undefined } | undefined;

  constructor(id: string, known: Partial<HeldWorld> = {}) {
    this.id = id;
    Object.assign(this, known);
  }

  /** Whether a snapshot is worth its cost. It shortens what the next owner has to read. */
  isLong(min: number, times: number): boolean {
    return this.rows > Math.max(min, times * this.snapshot);
  }
}

/**
 * A row of the journal. "change": a commit, without which later ones can't be read. "begin": a complete world begins or
 * is saved. "outcome" reports how something ended, and "rejected" that a request failed. `previous`: the last earlier
 * entry that changed the world.
 */
interface Row {
  do: "row";
  held: HeldWorld;
  entry: StoredEntry;
  kind: "change" | "begin" | "outcome" | "rejected";
  previous: number;
}

/**
 * A world or a named snapshot of it begins. `made`: the world is new, and gets its row with this step. `origin`: the
 * world that was forked.
 */
interface Beginning {
  do: "begin";
  held: HeldWorld;
  entry: StoredEntry;
  /** The name of the snapshot; empty for the world itself. */
  name: string;
  records: WorldRecords;
  body?: Buffer;
  made?: Making | undefined;
  origin?: HeldWorld | undefined;
}

/** A complete world up to an entry, so that its next owner has less to read. */
interface Checkpoint {
  do: "checkpoint";
  held: HeldWorld;
  seq: number;
  records: WorldRecords;
  body?: Buffer;
}

/** `name`: of the snapshot; empty for the world itself. `seq`: the number of the removal. */
interface Removal {
  do: "remove";
  held: HeldWorld;
  name: string;
  seq: number;
}

export type Step = Row | Beginning | Checkpoint | Removal;

/** Whether requests wait for the step, and a failure to write it loses the world. */
export const isChange = (step: Step): boolean =>
  step.do === "row" ? step.kind === "change" : step.do !== "checkpoint";

/** Creates the error for a client whose change was not written, and may be repeated. */
export const explainTakeover = (worlds: readonly Pick<HeldWorld, "id">[]): StoreError =>
  new StoreError(
    `Another node has taken over ${worlds.length === 1 ? `world ${worlds[0]?.id}` : `${worlds.length} worlds`} before this was written. Send the request again.`,
  );

/** `server`: the one that has confirmed this node. */
interface Writer {
  node: string;
  server: string;
}

/** The next_due_at of worlds in which it has changed. */
export type Dues = ReadonlyMap<HeldWorld, number | undefined>;

/** The bytes of one world, without rejected requests. The node that opens the world reads all of them. */
const MAX_RETAINED_BYTES = 4 << 20;
/** The rejected requests of one world, and their bytes if many have large bodies. */
const MAX_REJECTED = { requests: 1000, bytes: 16 << 20 };

/**
 * Locks the worlds of this node, then writes rows of the journal and due times; null clears a due time. The order of
 * ids prevents deadlocks between nodes. `materialized` locks the worlds once, before anything is inserted.
 */
const WRITE_ROWS = `with mine as materialized (
  select w.id, w.epoch from worlds w
  join unnest($3::text[], $4::bigint[]) as held (id, epoch) on held.id = w.id and held.epoch = w.epoch
  where w.owner = $1 and ${SERVER} = $2 order by w.id for no key update of w
), written as (
  insert into journal (world, seq, epoch, format, kind, previous, record)
  select r.world, r.seq, mine.epoch, ${FORMAT}, r.kind, r.previous, r.record
  from unnest($5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::text[]) as r (world, seq, kind, previous, record)
  join mine on mine.id = r.world
), due as (
  update worlds w set next_due_at = to_timestamp(d.at / 1000)
  from unnest($10::text[], $11::float8[]) as d (id, at) join mine on mine.id = d.id where w.id = d.id
) select id from mine`;

/**
 * Returns the worlds that this node does not own any more, whose rows were not written. Other steps than rows are all
 * written or none: throws a StoreError or QuotaError if another node owns a world, or the team is full. After any other
 * error it is not known whether they were.
 */
export async function writeBatch(
  database: Database,
  writer: Writer,
  steps: readonly Step[],
  dues: Dues,
): Promise<HeldWorld[]> {
  const rows = steps.filter((step) => step.do === "row");
  if (rows.length === steps.length) return writeRows(database.query, writer, { rows, dues });
  return database.transaction(async (query) => {
    const begun = steps.filter((step) => step.do === "begin");
    // A copy of a lost world would begin with commits that were not acknowledged. A new world has no row to lock.
    const worlds = [...steps.map(({ held }) => held), ...begun.flatMap(({ origin }) => origin ?? [])];
    const lost = await writeRows(query, writer, { more: worlds.filter(({ epoch }) => epoch > 0) });
    if (lost.length > 0) throw explainTakeover(lost);
    const made = begun[0]?.made;
    if (made) await assertRoom(query, made, begun.length);
    for (const step of steps) await writeState(query, writer, step);
    const rows = begun.map(({ held, entry }): Row => ({ do: "row", held, entry, kind: "begin", previous: 0 }));
    return writeRows(query, writer, { rows, dues });
  });
}

/** `more`: worlds to lock without rows. */
async function writeRows(
  query: Query,
  { node, server }: Writer,
  { rows = [], dues = new Map(), more = [] }: { rows?: readonly Row[]; dues?: Dues; more?: readonly HeldWorld[] },
): Promise<HeldWorld[]> {
  const worlds = [...new Set([...rows.map(({ held }) => held), ...dues.keys(), ...more])];
  if (worlds.length === 0) return [];
  const mine = await query<{ id: string }>(WRITE_ROWS, [
    node,
    server,
    worlds.map(({ id }) => id),
    worlds.map(({ epoch }) => epoch),
    rows.map(({ held }) => held.id),
    rows.map(({ entry }) => entry.seq),
    rows.map(({ kind }) => kind),
    rows.map(({ previous }) => previous),
    rows.map(({ entry }) => entry.text),
    Array.from(dues.keys(), ({ id }) => id),
    Array.from(dues.values(), (due) => due ?? null),
  ]);
  const ids = new Set(mine.map(({ id }) => id));
  return worlds.filter(({ id }) => !ids.has(id));
}

/** Locks the row of the team before its worlds are counted, so that worlds of other nodes are counted too. */
async function assertRoom(query: Query, { team }: Making, count: number): Promise<void> {
  if (team === null) return;
  const [row] = await query<{ most: number | null }>(
    "select (quotas->>'worlds')::float8 as most from teams where id = $1 for no key update",
    [team],
  );
  if (!row) throw new StoreError(`The team ${team} is gone, so there is no world for it.`);
  // A second statement sees what was committed while the first one waited for the lock.
  const [worlds] = await query<{ count: number }>("select count(*)::int as count from worlds where team = $1", [team]);
  const has = worlds?.count ?? 0;
  if (row.most !== null && has + count > row.most) throw new QuotaError(explainFullTeam(team, has, row.most, count));
}

async function writeState(query: Query, writer: Writer, step: Step): Promise<void> {
  if (step.do === "begin") await begin(query, writer, step);
  if (step.do === "checkpoint") await writeCheckpoint(query, step);
  if (step.do === "remove") await remove(query, step);
}

async function begin(query: Query, { node }: Writer, step: Beginning): Promise<void> {
  const { held, entry, name, records, made, origin, body } = step;
  const recipe = name === "" ? describeRecipe(records, origin?.id) : null;
  if (made) {
    // The statement waits for the transaction of another node that creates the world, so the result is final.
    const [created] = await query<{ epoch: number }>(
      `insert into worlds (id, team, recipe, owner, epoch) values ($1, $2, $3, $4, nextval('epochs'))
       on conflict (id) do nothing returning epoch::float8 as epoch`,
      [held.id, made.team, recipe, node],
    );
    if (!created) throw explainTakeover([held]);
    held.epoch = created.epoch;
  } else if (name === "") {
    // A reset replaces the recipe, but for the world that was forked.
    await query(
      "update worlds set dropped = 0, recipe = coalesce(nullif(recipe, 'null'), '{}') || $2::jsonb where id = $1",
      [held.id, recipe],
    );
    // The log of a populated world continues.
    if (entry.id !== "populate") await query("delete from journal where world = $1 and seq < $2", [held.id, entry.seq]);
  }
  await writeSnapshot(query, held, { name, seq: entry.seq, body });
}

/** The snapshot without a name is the world itself. */
async function writeSnapshot(
  query: Query,
  held: HeldWorld,
  { name = "", seq, body = Buffer.alloc(0) }: { name?: string; seq: number; body: Buffer | undefined },
): Promise<void> {
  await query(
    `insert into snapshots (world, name, seq, format, body) values ($1, $2, $3, ${FORMAT}, $4)
     on conflict (world, name) do update
     set seq = excluded.seq, at = now(), format = excluded.format, template = null, body = excluded.body
     where snapshots.seq < excluded.seq`,
    [held.id, name, seq, body],
  );
  if (name === "") held.snapshot = body.length;
}

/**
 * Writes a complete world up to an entry. Only the past needs the changes until then, and all outcomes, so the oldest
 * are dropped.
 */
async function writeCheckpoint(query: Query, { held, seq, body }: Checkpoint): Promise<void> {
  await writeSnapshot(query, held, { seq, body });
  await query(
    `with found as (
       select seq, sum(octet_length(record)) over newest as bytes, row_number() over newest as place
       from journal where world = $1 and kind <> 'begin' window newest as (partition by kind = 'rejected' order by seq desc)
     ), gone as (
       delete from journal j using found f where j.world = $1 and j.seq = f.seq and (j.seq <= $2 or j.kind <> 'change')
       and (j.format = 1 or case when j.kind = 'rejected'
         then f.place > ${MAX_REJECTED.requests} or f.bytes > ${MAX_REJECTED.bytes}
         else f.bytes > ${MAX_RETAINED_BYTES} end) returning j.kind
     ) update worlds set dropped = dropped + (select count(*) from gone where kind <> 'rejected') where id = $1`,
    [held.id, seq],
  );
}

async function remove(query: Query, { held: { id }, name, seq }: Removal): Promise<void> {
  if (name !== "") {
    await query("delete from snapshots where world = $1 and name = $2", [id, name]);
    return;
  }
  await query(
    `with rows as (delete from journal where world = $1), saved as (delete from snapshots where world = $1)
     delete from worlds where id = $1`,
    [id],
  );
  // A new world of this id continues the numbers on every node.
  await query("select setval('removed_numbers', $1) from removed_numbers where last_value < $1", [seq]);
}

/** The members of the record `identity` that say how the world was created. */
interface Identity {
  fixture?: string;
  seed?: string;
  origin?: { fixture?: string };
}

function describeRecipe(records: WorldRecords, origin: string | undefined): ListedWorld["recipe"] {
  const [, identities = []] = [...records].find(([collection]) => collection === "identity") ?? [];
  const [identity = {}] = identities as Iterable<Identity>;
  const { fixture = identity.fixture } = identity.origin ?? {};
  if (fixture === undefined) return null;
  return { fixture, seed: String(identity.seed ?? ""), ...optional({ forked_from: origin }) };
}
