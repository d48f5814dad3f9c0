// Writes a batch under locks of its worlds, and leaves out a world whose epoch is not that of this ownership. A takeover waits for the lock, and
// the lock for a takeover. Nearly all batches have only rows of the journal, and are one statement.
import type { ListedWorld } from "../../engine/app/index.ts";
import type { WorldRecords } from "../../engine/log/index.ts";
import { optional } from "../../platform/optional.ts";
import { type Beginning, type Checkpoint, isCopyOf, type Row, type Step } from "./batch.ts";
import { type Database, type Query, SERVER } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { FORMAT } from "./packed-rows.ts";
import { findRejectedMakings } from "./team-room.ts";

interface Writer {
  node: string;
  /** The server that has confirmed this node. */
  server: string;
}

/** The next_due_at of worlds in which it has changed. */
export type Dues = ReadonlyMap<HeldWorld, number | undefined>;

/** Worlds of which nothing is written, and why. Undefined: another node has taken or created them. */
type LeftOut = Map<HeldWorld, Error | undefined>;

/** The bytes of one world, without rejected requests. The node that opens the world reads all of them. */
const MAX_RETAINED_BYTES = 4 << 20;
const MAX_REJECTED = 1000;

/**
 * Locks the worlds of this node, then writes rows of the journal and due times; null clears a due time. The order of ids prevents deadlocks
 * between nodes. `materialized` locks the worlds once, before anything is inserted.
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

/** If it rejects, it is not known whether the statement was carried out. */
export async function writeBatch(
  database: Database,
  writer: Writer,
  steps: readonly Step[],
  dues: Dues,
): Promise<LeftOut> {
  const worlds = [...new Set(steps.map(({ held }) => held))];
  const stored = worlds.filter(({ epoch }) => epoch > 0);
  const rows = steps.filter((step) => step.do === "row");
  // The common case takes one round trip. A world without an epoch is new, and needs its row first.
  if (rows.length === steps.length && stored.length === worlds.length)
    return writeRows(database.query, writer, worlds, { rows, dues });
  return database.transaction(async (query) => {
    const leftOut = await writeRows(query, writer, stored, {});
    const rejected = await findRejectedMakings(query, steps);
    for (const step of steps) {
      const why = step.do === "begin" && step.made && rejected.get(step.made);
      if (why) leftOut.set(step.held, why);
    }
    await new BatchTransaction(query, writer, leftOut).write(steps, dues);
    return leftOut;
  });
}

/** Returns the worlds that this node does not own any more. */
async function writeRows(
  query: Query,
  { node, server }: Writer,
  worlds: readonly HeldWorld[],
  { rows = [], dues = new Map() }: { rows?: readonly Row[]; dues?: Dues },
): Promise<LeftOut> {
  if (worlds.length === 0) return new Map();
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
  return new Map(worlds.filter(({ id }) => !ids.has(id)).map((world) => [world, undefined]));
}

class BatchTransaction {
  readonly #query: Query;
  readonly #writer: Writer;
  readonly #leftOut: LeftOut;
  #rows: Row[] = [];

  constructor(query: Query, writer: Writer, leftOut: LeftOut) {
    this.#query = query;
    this.#writer = writer;
    this.#leftOut = leftOut;
  }

  /** Keeps the order of the steps, because a snapshot replaces the rows before it. */
  async write(steps: readonly Step[], dues: Dues): Promise<void> {
    for (const step of steps) {
      // A copy of a lost world would begin with commits that were not acknowledged.
      for (const [world, why] of this.#leftOut) if (isCopyOf(step, world)) this.#leftOut.set(step.held, why);
      if (this.#leftOut.has(step.held)) continue;
      if (step.do === "row") this.#rows.push(step);
      else {
        await this.#flush();
        await this.#writeStep(step);
      }
    }
    await this.#flush(new Map([...dues].filter(([held]) => !this.#leftOut.has(held))));
  }

  async #writeStep(step: Exclude<Step, Row>): Promise<void> {
    if (step.do === "begin") return this.#begin(step);
    if (step.do === "checkpoint") return this.#checkpoint(step);
    const { held, name, seq } = step;
    if (name !== "") await this.#query("delete from snapshots where world = $1 and name = $2", [held.id, name]);
    else {
      await this.#query(
        `with rows as (delete from journal where world = $1), saved as (delete from snapshots where world = $1)
         delete from worlds where id = $1`,
        [held.id],
      );
      // A new world of this id continues the numbers on every node.
      await this.#query("select setval('removed_numbers', $1) from removed_numbers where last_value < $1", [seq]);
    }
  }

  async #begin(step: Beginning): Promise<void> {
    const { held, entry, name, body = Buffer.alloc(0) } = step;
    if (name === "" && !(await this.#beginWorld(step, body.length))) return void this.#leftOut.set(held, undefined);
    await this.#writeSnapshot(held.id, name, entry.seq, body);
    if (name === "") held.snapshot = body.length;
    else held.named += body.length;
    this.#rows.push({ do: "row", held, entry, kind: "begin", previous: 0 });
  }

  /**
   * Writes the row of a new world, or removes the earlier rows of a world that begins again; they stay after a populate, because its log
   * continues. Returns false if another node has created a world of this id.
   */
  async #beginWorld({ held, entry, records, made, origin }: Beginning, bytes: number): Promise<boolean> {
    const recipe = JSON.stringify(describeRecipe(records, origin));
    if (made) {
      // The statement waits for the transaction of the other node, so the result is final.
      const [created] = await this.#query<{ epoch: number }>(
        `insert into worlds (id, team, recipe, owner, epoch, bytes) values ($1, $2, $3, $4, nextval('epochs'), $5)
         on conflict (id) do nothing returning epoch::float8 as epoch`,
        [held.id, made.team, recipe, this.#writer.node, bytes],
      );
      held.epoch = created?.epoch ?? 0;
      return created !== undefined;
    }
    // A reset replaces the recipe, but for the world that was forked.
    await this.#query(
      `update worlds set bytes = $3, dropped = 0,
       recipe = case when recipe ? 'forked_from' and jsonb_typeof($2::jsonb) = 'object'
         then $2::jsonb || jsonb_build_object('forked_from', recipe->'forked_from') else $2::jsonb end where id = $1`,
      [held.id, recipe, bytes + held.named],
    );
    if (entry.id !== "populate")
      await this.#query("delete from journal where world = $1 and seq < $2", [held.id, entry.seq]);
    return true;
  }

  /** The snapshot without a name is the world itself. */
  async #writeSnapshot(world: string, name: string, seq: number, body: Buffer): Promise<void> {
    await this.#query(
      `insert into snapshots (world, name, seq, format, body) values ($1, $2, $3, ${FORMAT}, $4)
       on conflict (world, name) do update
       set seq = excluded.seq, at = now(), format = excluded.format, template = null, body = excluded.body
       where snapshots.seq < excluded.seq`,
      [world, name, seq, body],
    );
  }

  /** Writes a complete world up to an entry. Only the past needs the rows until then, so the oldest are dropped. */
  async #checkpoint({ held, seq, rows, body }: Checkpoint): Promise<void> {
    await this.#writeSnapshot(held.id, "", seq, body);
    held.rows = Math.max(0, held.rows - rows);
    held.snapshot = body.length;
    await this.#query(
      `with found as (
         select seq, kind, sum(octet_length(record)) over newest as bytes, row_number() over newest as place
         from journal where world = $1 and kind <> 'begin'
         window newest as (partition by kind = 'rejected' order by seq desc)
       ), gone as (
         delete from journal j using found f where j.world = $1 and j.seq = f.seq and (j.seq <= $2 or f.kind <> 'change')
         and (j.format = 1 or case when f.kind = 'rejected' then f.place > ${MAX_REJECTED} else f.bytes > ${MAX_RETAINED_BYTES} end)
         returning f.kind
       ) update worlds set bytes = $3, dropped = dropped + (select count(*) from gone where kind <> 'rejected') where id = $1`,
      [held.id, seq, held.bytes],
    );
  }

  async #flush(dues: Dues = new Map()): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    const worlds = [...new Set([...rows.map(({ held }) => held), ...dues.keys()])];
    await writeRows(this.#query, this.#writer, worlds, { rows, dues });
  }
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
