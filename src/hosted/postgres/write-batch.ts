// Writes a batch under locks of its worlds. A takeover waits for the locks, and the locks for a takeover. Nearly all
// batches have only rows of the journal, and are one statement.
import type { ListedWorld } from "../../engine/app/index.ts";
import { QuotaError, StoreError } from "../../engine/log/index.ts";
import type { Collections } from "../../engine/world/index.ts";
import { optional } from "../../platform/optional.ts";
import { explainFullTeam } from "../teams/quotas.ts";
import { type Database, type Query, SERVER } from "./connection.ts";
import { FORMAT, type HeldWorld } from "./load-world.ts";
import type { Registration } from "./registration.ts";

/** Worlds that are created together for a team, or for none. All are kept, or none is. */
export type Making = { readonly team: string | null };

/**
 * Writes a row of the journal, or a complete world, or removes one. "change": a commit, without which later ones can't
 * be read. "outcome" reports how something ended, and "rejected" that a request failed. "begin": a complete world
 * begins or is saved. "checkpoint": a complete world up to an entry, so that its next owner has less to read.
 */
export interface Step {
  kind: "change" | "outcome" | "rejected" | "begin" | "checkpoint" | "remove";
  held: HeldWorld;
  seq: number;
  /** The entry, if it becomes a row of the journal. */
  text?: string;
  /** The last earlier entry that changed the world. */
  previous?: number;
  /** The name of the snapshot; empty for the world itself. */
  name?: string;
  records?: Collections;
  /** The records as they are stored. */
  body?: Buffer;
  /** The world is new, and gets its row with this step. */
  made?: Making | undefined;
  /** The world that was forked. */
  origin?: HeldWorld | undefined;
  /** The earlier rows of the world remain. */
  keepsLog?: boolean;
}

/** Whether the step is only a row of the journal. */
export const isRow = ({ kind }: Step): boolean => kind === "change" || kind === "outcome" || kind === "rejected";

/** Creates the error for a client whose change was not written, and may be repeated. */
export const explainTakeover = (worlds: readonly Pick<HeldWorld, "id">[]): StoreError =>
  new StoreError(
    `Another node has taken over ${worlds.length === 1 ? `world ${worlds[0]?.id}` : `${worlds.length} worlds`} before this was written. Send the request again.`,
  );

/** The server is the one that has confirmed this node. */
type Writer = Pick<Registration, "node" | "server">;

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
export async function writeBatch(database: Database, writer: Writer, steps: readonly Step[], dues: Dues) {
  if (steps.every(isRow)) return writeRows(database.query, writer, { rows: steps, dues });
  return database.transaction(async (query) => {
    const made = steps[0]?.made;
    if (made) await insertWorlds(query, writer.node, made, steps);
    const rows = steps.filter(({ kind }) => kind === "begin");
    // A copy of a lost world would begin with commits that were not acknowledged.
    const more = steps.flatMap(({ held, origin }) => (origin ? [held, origin] : [held]));
    const lost = await writeRows(query, writer, { rows, dues, more });
    if (lost.length > 0) throw explainTakeover(lost);
    for (const step of steps) await writeState(query, step);
    return [];
  });
}

/** `more`: worlds to lock without rows. */
async function writeRows(
  query: Query,
  { node, server }: Writer,
  { rows, dues, more = [] }: { rows: readonly Step[]; dues: Dues; more?: readonly HeldWorld[] },
): Promise<HeldWorld[]> {
  const worlds = [...new Set([...rows.map(({ held }) => held), ...dues.keys(), ...more])];
  if (worlds.length === 0) return [];
  const mine = await query<{ id: string }>(WRITE_ROWS, [
    node,
    server,
    worlds.map(({ id }) => id),
    worlds.map(({ epoch }) => epoch),
    rows.map(({ held }) => held.id),
    rows.map(({ seq }) => seq),
    rows.map(({ kind }) => kind),
    rows.map(({ previous = 0 }) => previous),
    rows.map(({ text }) => text),
    Array.from(dues.keys(), ({ id }) => id),
    Array.from(dues.values(), (due) => due ?? null),
  ]);
  const ids = new Set(mine.map(({ id }) => id));
  return worlds.filter(({ id }) => !ids.has(id));
}

async function insertWorlds(query: Query, node: string, made: Making, steps: readonly Step[]): Promise<void> {
  await assertRoom(query, made, steps.length);
  for (const { held, records, origin } of steps) {
    // The statement waits for the transaction of another node that creates the world, so the result is final.
    const [created] = await query<{ epoch: number }>(
      `insert into worlds (id, team, recipe, owner, epoch) values ($1, $2, $3, $4, nextval('epochs'))
       on conflict (id) do nothing returning epoch::float8 as epoch`,
      [held.id, made.team, describeRecipe(records, origin?.id), node],
    );
    if (!created) throw explainTakeover([held]);
    held.epoch = created.epoch;
  }
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

async function writeState(query: Query, step: Step): Promise<void> {
  const { kind, held, seq, name = "", records, body = Buffer.alloc(0), made, keepsLog } = step;
  if (kind === "remove") return remove(query, step);
  if (kind === "begin" && name === "" && !made) {
    // A reset replaces the recipe, but for the world that was forked.
    const reset = "dropped = 0, recipe = coalesce(nullif(recipe, 'null'), '{}') || $2::jsonb";
    await query(`update worlds set ${reset} where id = $1`, [held.id, describeRecipe(records)]);
    if (!keepsLog) await query("delete from journal where world = $1 and seq < $2", [held.id, seq]);
  }
  // The snapshot without a name is the world itself.
  await query(
    `insert into snapshots (world, name, seq, format, body) values ($1, $2, $3, ${FORMAT}, $4)
     on conflict (world, name) do update
     set seq = excluded.seq, at = now(), format = excluded.format, template = null, body = excluded.body
     where snapshots.seq < excluded.seq`,
    [held.id, name, seq, body],
  );
  if (name === "") held.snapshot = body.length;
  if (kind === "checkpoint") await query(DROP_OLD_ROWS, [held.id, seq]);
}

/** Only the past needs the changes until a checkpoint, and all outcomes, so the oldest are dropped. */
const DROP_OLD_ROWS = `with found as (
    select seq, sum(octet_length(record)) over newest as bytes, row_number() over newest as place
    from journal where world = $1 and kind <> 'begin' window newest as (partition by kind = 'rejected' order by seq desc)
  ), gone as (
    delete from journal j using found f where j.world = $1 and j.seq = f.seq and (j.seq <= $2 or j.kind <> 'change')
    and (j.format = 1 or case when j.kind = 'rejected'
      then f.place > ${MAX_REJECTED.requests} or f.bytes > ${MAX_REJECTED.bytes}
      else f.bytes > ${MAX_RETAINED_BYTES} end) returning j.kind
  ) update worlds set dropped = dropped + (select count(*) from gone where kind <> 'rejected') where id = $1`;

async function remove(query: Query, { held: { id }, name, seq }: Step): Promise<void> {
  if (name !== "") return void (await query("delete from snapshots where world = $1 and name = $2", [id, name]));
  await query(
    `with rows as (delete from journal where world = $1), saved as (delete from snapshots where world = $1)
     delete from worlds where id = $1`,
    [id],
  );
  // A new world of this id continues the numbers on every node.
  await query("select setval('removed_numbers', $1) from removed_numbers where last_value < $1", [seq]);
}

/** Reads from the record `identity` how the world was created. `forked_from`: the id of the world that was forked. */
function describeRecipe(records: Collections | undefined, forked_from?: string): ListedWorld["recipe"] {
  const record = records?.identity.get("identity");
  const fixture = record?.origin?.fixture ?? record?.fixture;
  if (fixture === undefined) return null;
  return { fixture, seed: String(record?.seed ?? ""), ...optional({ forked_from }) };
}
