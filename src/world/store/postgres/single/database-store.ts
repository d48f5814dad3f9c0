// The store on PostgreSQL. Records are queued, and one transaction writes all that are queued, if this node still holds the lease. Whoever
// saw a change waits until it is written. When a transaction fails, in whatever way, nothing is acknowledged and nothing is answered from
// memory, until the node has a new epoch and has loaded what the database has: so an unknown outcome becomes a known one.
import { setTimeout as pause } from "node:timers/promises";
import type { StateDump } from "../../log-records.ts";
import { StoreError } from "../../store-error.ts";
import type { Reopening, SharedStore, Store, View } from "../../store-interface.ts";
import { type Database, type Query, whyFailed } from "../connection.ts";
import { Batch } from "./batch.ts";
import type { Lease } from "./lease.ts";
import { type Loaded, load } from "./load-worlds.ts";
import { linesOf, packed } from "./packed-rows.ts";
import { Sizes } from "./sizes.ts";
import { type Sequences, writeCheckpoint, writeRecords } from "./write-records.ts";

const AGAIN_MS = 250;
/** Waiting for the database must not fill the memory. */
const MOST_QUEUED = 20_000;

export type DatabaseStore = Store & Reopening & Pick<SharedStore, "belongs">;

interface Parts {
  database: Database;
  lease: Lease;
  address: string;
  loaded: Loaded | null;
  /** One line for the person who runs it. */
  warn(sentence: string): void;
}

export function databaseStore({ database, lease, address, loaded, warn }: Parts): DatabaseStore {
  let sequences: Sequences = loaded?.sequences ?? new Map();
  let sizes = new Sizes(loaded?.sizes);
  /** What is added to it is written as soon as the batch before is. */
  let filling = new Batch();
  let writing: Batch | undefined;
  const teamOf = new Map<string, string | null>();
  let lost: StoreError | undefined;
  let closing = false;
  let checkpointing: Promise<void> | undefined;
  let recovering: Promise<void> = Promise.resolve();
  let reopen: (state: StateDump) => void = () => undefined;

  const unavailable = (reason: unknown) =>
    new StoreError(`The database ${address} can't be used: ${whyFailed(reason)}. Send the request again in a moment.`);

  function lose(reason: unknown): StoreError {
    if (lost) return lost;
    lost = unavailable(reason);
    lease.pause();
    filling.fail(lost);
    filling = new Batch();
    warn(`The database ${address} can't be used: ${whyFailed(reason)}. Requests are answered 503 until it can.`);
    if (!closing) recovering = recover();
    return lost;
  }

  async function recover(): Promise<void> {
    while (!closing) {
      await pause(AGAIN_MS);
      try {
        await writing?.done.catch(() => undefined);
        const holder = await lease.take();
        if (holder) continue;
        const now = await load(database.query);
        sequences = now?.sequences ?? new Map();
        sizes = new Sizes(now?.sizes);
        reopen(now?.state ?? []);
        lost = undefined;
        lease.keep(lose);
        warn(`The database ${address} can be used again.`);
        return;
      } catch {
        // Tried again.
      }
    }
  }

  /** Why memory can't be trusted now. */
  const whyNot = (): StoreError | undefined =>
    lost ?? (lease.isValid ? undefined : lose(new Error("the lease of this node has run out")));

  async function write(): Promise<void> {
    // What the same turn of the event loop adds goes into the same transaction.
    await Promise.resolve();
    while (filling.records.length > 0) {
      const batch = filling;
      writing = batch;
      filling = new Batch();
      try {
        await inLease((query) => writeRecords(query, lease.epoch, batch.records, sequences, teamOf));
        for (const record of batch.records) sizes.note(record);
        batch.end();
      } catch (reason) {
        batch.fail(lose(reason));
      }
    }
    writing = undefined;
  }

  /** One transaction, which fails when another node has taken over. */
  const inLease = (work: (query: Query) => Promise<void>): Promise<void> =>
    database.transaction(async (query) => {
      if (!(await lease.holds(query))) throw new Error("another node has taken over");
      await work(query);
    });

  const pending = (): Promise<void> | undefined => (filling.records.length > 0 ? filling : writing)?.done;

  /** Each world in a transaction of its own: what is in the view was queued before, so it is written first. */
  async function checkpoint(view: View, all: boolean): Promise<void> {
    for (let waiting = pending(); waiting; waiting = pending()) await waiting;
    const worlds = sizes.long(all);
    const seqs = new Map(worlds.map((world) => [world, sequences.get(world) ?? 0]));
    const frozen = Array.from(view(new Set(worlds)), ([world, collections]) => [world, linesOf(collections)] as const);
    for (const [world, lines] of frozen) {
      const seq = seqs.get(world);
      if (seq === undefined) continue;
      const body = await packed(lines);
      await inLease(async (query) => {
        const { rowCount } = await query("select 1 from worlds where id = $1", [world]);
        // Replaced or removed meanwhile.
        if (rowCount === 0 || (sequences.get(world) ?? -1) < seq) return;
        await writeCheckpoint(query, world, seq, body);
      });
      sizes.wrote(world, body.length);
    }
  }

  return {
    belongs: (world, team) => void teamOf.set(world, team),
    append(record) {
      if (closing) throw new StoreError("The store is closed; open it again to write to it");
      const reason = whyNot();
      if (reason) throw reason;
      if (filling.records.length >= MOST_QUEUED) throw unavailable(new Error("it is too slow for what is asked of it"));
      filling.records.push(record);
      if (!writing && filling.records.length === 1) void write();
    },
    settled() {
      const reason = whyNot();
      return reason ? Promise.reject(reason) : pending();
    },
    get due() {
      return !checkpointing && !closing && !lost && sizes.long(false).length > 0;
    },
    async compact(view, all) {
      await checkpointing;
      checkpointing = checkpoint(view, all !== undefined).finally(() => {
        checkpointing = undefined;
      });
      return checkpointing;
    },
    onReopened(then) {
      reopen = then;
      lease.keep(lose);
    },
    get isUsable() {
      return !lost && lease.isValid;
    },
    async close() {
      if (closing) return;
      closing = true;
      await recovering;
      await checkpointing?.catch(() => undefined);
      for (let waiting = pending(); waiting; waiting = pending()) await waiting.catch(() => undefined);
      await lease.release().catch(() => undefined);
      await database.close();
    },
  };
}
