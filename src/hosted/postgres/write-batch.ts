// Writes a batch. The rows of its worlds are locked, and a world whose epoch is not that of this ownership is left out. A takeover waits for
// the lock, and the lock for a takeover. A batch of rows of the journal only, as nearly all are, is one statement.
import { type Batch, type Checkpoint, isCopyOf, type Replacing, type Row, type Step } from "./batch.ts";
import { type Database, type Query, SERVER } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { FORMAT } from "./packed-rows.ts";
import { type Room, roomOfTeams } from "./team-room.ts";
import { dropWorld, forgetSnapshot, replaceWorld, writeCheckpoint, writeSnapshot } from "./write-world.ts";

interface Writer {
  node: string;
  /** The server that this node is confirmed by. */
  server: string;
}

/** World → its next_due_at, where that has changed. */
export type Dues = ReadonlyMap<HeldWorld, number | undefined>;

/** `$1`: the node, `$2`: the server, `$3` and `$4`: the worlds and their epochs. Always in the order of ids, so that two can't deadlock. */
const MINE = `select w.id, w.epoch from worlds w
  join unnest($3::text[], $4::bigint[]) as held (id, epoch) on held.id = w.id and held.epoch = w.epoch
  where w.owner = $1 and ${SERVER} = $2 order by w.id for no key update of w`;

/** A due time of null clears it: to_timestamp of null is null. */
const SET_DUE = (values: string) => `update worlds w set next_due_at = to_timestamp(d.at / 1000)
  from unnest(${values}) as d (id, at)`;

/** Rows from five arrays, whose parameters begin with `first`. `mine`: worlds and their epochs. */
const INSERT = (mine: string, first: number) => `insert into journal (world, seq, epoch, format, kind, previous, record)
  select r.world, r.seq, mine.epoch, ${FORMAT}, r.kind, r.previous, r.record
  from unnest(${["text", "bigint", "text", "bigint", "text"].map((type, index) => `$${first + index}::${type}[]`)})
    as r (world, seq, kind, previous, record) join ${mine} on mine.id = r.world`;

/** Materialized, so that the rows are locked once and before anything is inserted. */
const ONE_STATEMENT = `with mine as materialized (${MINE}), written as (${INSERT("mine", 5)}), due as (
  ${SET_DUE("$10::text[], $11::float8[]")} join mine on mine.id = d.id where w.id = d.id
) select id from mine`;

/** `lost`: another node has taken them, or made them. `rejected`: their team has no room for them. Nothing of these is written. */
interface LeftOut {
  lost: Set<HeldWorld>;
  rejected: Map<HeldWorld, Error>;
}

/** Rejects where the statement failed: then it is not known whether it was carried out. */
export async function writeBatch(database: Database, writer: Writer, batch: Batch, dues: Dues): Promise<LeftOut> {
  const { steps } = batch;
  const worlds = [...batch.worlds];
  const rows = steps.filter((step) => step.do === "row");
  // The common case takes one round trip. A world without an epoch is new, and needs its row first.
  if (rows.length === steps.length && worlds.every(({ epoch }) => epoch > 0)) {
    const values = [...toHeldValues(writer, worlds), ...toRowValues(rows), ...toDueValues(dues)];
    const { rows: mine } = await database.query<{ id: string }>(ONE_STATEMENT, values);
    return { lost: findOthers(worlds, mine), rejected: new Map() };
  }
  return database.transaction(async (query) => {
    const leftOut: LeftOut = { lost: await lockWorlds(query, writer, worlds), rejected: new Map() };
    const room = await roomOfTeams(query, steps);
    await new BatchTransaction(query, writer.node, room, leftOut).write(steps);
    const [ids, ats] = toDueValues(new Map([...dues].filter(([held]) => !isLeftOut(leftOut, held))));
    if (ids.length > 0) await query(`${SET_DUE("$1::text[], $2::float8[]")} where w.id = d.id`, [ids, ats]);
    return leftOut;
  });
}

/** Locks these worlds for the transaction; returns those that this node does not own any more. */
async function lockWorlds(query: Query, writer: Writer, all: readonly HeldWorld[]): Promise<Set<HeldWorld>> {
  const worlds = all.filter(({ epoch }) => epoch > 0);
  if (worlds.length === 0) return new Set();
  const { rows } = await query<{ id: string }>(MINE, toHeldValues(writer, worlds));
  return findOthers(worlds, rows);
}

class BatchTransaction {
  readonly #query: Query;
  readonly #node: string;
  readonly #room: Room;
  readonly #leftOut: LeftOut;
  #rows: Row[] = [];

  constructor(query: Query, node: string, room: Room, leftOut: LeftOut) {
    this.#query = query;
    this.#node = node;
    this.#room = room;
    this.#leftOut = leftOut;
  }

  /** In the order of the steps, because a snapshot replaces the rows before it. */
  async write(steps: readonly Step[]): Promise<void> {
    const { lost, rejected } = this.#leftOut;
    for (const step of steps) {
      const { held } = step;
      // A copy of a world that was lost would begin with commits that were not acknowledged.
      if (isCopyOf(step, lost)) lost.add(held);
      const why = [...rejected].find(([world]) => isCopyOf(step, [world]))?.[1];
      if (why) rejected.set(held, why);
      if (!isLeftOut(this.#leftOut, held)) await this.#writeStep(step);
    }
    await this.#flush();
  }

  async #writeStep(step: Step): Promise<void> {
    if (step.do === "row") {
      this.#rows.push(step);
      return;
    }
    await this.#flush();
    if (step.do === "replace") await this.#replace(step);
    else if (step.do === "checkpoint") await this.#checkpoint(step);
    else if (step.do === "drop") await dropWorld(this.#query, step.held);
    else if (step.do === "forget") await forgetSnapshot(this.#query, step.held, step.name);
    else {
      const { held, entry, name, body = Buffer.alloc(0) } = step;
      await writeSnapshot(this.#query, held.id, { name, seq: entry.seq, body });
      held.named += body.length;
      this.#rows.push(toBeginning(step));
    }
  }

  async #replace(step: Replacing): Promise<void> {
    const { held, made, body } = step;
    const full = made && (await this.#room(made));
    if (full) this.#leftOut.rejected.set(held, full);
    else if (await replaceWorld(this.#query, this.#node, step)) {
      held.snapshot = body?.length ?? 0;
      this.#rows.push(toBeginning(step));
    } else this.#leftOut.lost.add(held);
  }

  async #checkpoint({ held, seq, rows, body }: Checkpoint): Promise<void> {
    await writeCheckpoint(this.#query, held.id, { seq, body });
    held.rows = Math.max(0, held.rows - rows);
    held.snapshot = body.length;
    await this.#query("update worlds set bytes = $2 where id = $1", [held.id, held.bytes]);
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    const held = [...new Set(rows.map((row) => row.held))];
    const insert = INSERT("unnest($6::text[], $7::bigint[]) as mine (id, epoch)", 1);
    await this.#query(insert, [...toRowValues(rows), held.map(({ id }) => id), held.map(({ epoch }) => epoch)]);
  }
}

const toBeginning = ({ held, entry }: Pick<Row, "held" | "entry">): Row => ({
  do: "row",
  held,
  entry,
  kind: "begin",
  previous: 0,
});

const isLeftOut = ({ lost, rejected }: LeftOut, held: HeldWorld): boolean => lost.has(held) || rejected.has(held);

function findOthers(worlds: readonly HeldWorld[], rows: readonly { id: string }[]): Set<HeldWorld> {
  const mine = new Set(rows.map(({ id }) => id));
  return new Set(worlds.filter(({ id }) => !mine.has(id)));
}

const toHeldValues = ({ node, server }: Writer, worlds: readonly HeldWorld[]): unknown[] => [
  node,
  server,
  worlds.map(({ id }) => id),
  worlds.map(({ epoch }) => epoch),
];

const toRowValues = (rows: readonly Row[]): unknown[] => [
  rows.map(({ held }) => held.id),
  rows.map(({ entry }) => entry.seq),
  rows.map(({ kind }) => kind),
  rows.map(({ previous }) => previous),
  rows.map(({ entry }) => entry.text),
];

const toDueValues = (dues: Dues): [string[], (number | null)[]] => [
  Array.from(dues.keys(), ({ id }) => id),
  Array.from(dues.values(), (due) => due ?? null),
];
