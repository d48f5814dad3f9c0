// Opens the store on PostgreSQL: connects, makes the tables, and registers this node among those that use it.

import { type ActivityLog, StoreError } from "../../engine/log/index.ts";
import { nodeIdIn } from "../../engine/world/index.ts";
import { connect, type Database, displayAddress, Hosts, type Query, whyFailed } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import { migrate } from "./migrations.ts";
import { Registration } from "./registration.ts";
import { SharedDatabase, type SharedStore } from "./shared-store.ts";
import { findWarnings, mustShareToken, waitForDatabase } from "./start-checks.ts";
import { type TeamStore, teamStore } from "./team-use.ts";
import { explainTakeover, WriteQueue } from "./write-queue.ts";

/**
 * Connections for a batch and a heartbeat, and for everything else, so that these never wait until many worlds are opened. PostgreSQL's default
 * of 100 serves many nodes.
 */
const MAX_CONNECTIONS = { writes: 2, others: 3 };
/** Rows of dead nodes and unused templates do no harm, so there is no hurry. */
const CLEAN_MS = 10 * 60_000;

interface NodeOptions {
  /** The log that its entries are appended to. */
  log: ActivityLog;
  /** Seconds to wait for the database. */
  waitFor: number;
  /** Of a registration, a UUID; never the same twice. */
  newId(): string;
  /** That of all nodes, from their control token. */
  credentialKey: string;
  /** Where the other nodes reach this one. */
  url(): string;
  version: string;
  /** The machine's clock, to compare with the database's. */
  wall(): number;
  warn(sentence: string): void;
}

interface Opened {
  store: SharedStore;
  teams: TeamStore;
  warnings: string[];
}

/** Throws a StoreError with the address, without its password, and what to do. Then nothing stays open. */
export async function openDatabase(url: string, options: NodeOptions): Promise<Opened> {
  const address = displayAddress(url);
  let broken: () => void = () => undefined;
  const hosts = new Hosts(url);
  const database = await connect(url, MAX_CONNECTIONS.writes, () => broken(), hosts);
  const others = await connect(url, MAX_CONNECTIONS.others, () => broken(), hosts);
  try {
    await waitForDatabase(database, hosts, address, options.waitFor);
    await migrate(database);
    const warnings = await findWarnings(database, url, options.wall);
    const made = await join({ database, others, address }, options);
    // The pool exists before the registration that wants to know of its failures.
    broken = () => made.registration.doubt();
    return { store: made.store, teams: teamStore(others), warnings };
  } catch (reason) {
    await Promise.allSettled([database.close(), others.close()]);
    if (reason instanceof StoreError) throw reason;
    throw new StoreError(`The database ${address} can't be used: ${whyNotOpened(reason)}.`, { cause: reason });
  }
}

const LACKS_RIGHT = "42501";

const whyNotOpened = (reason: unknown): string => {
  const { code, message } = reason as { code?: string; message?: string };
  return code === LACKS_RIGHT
    ? `this user lacks a right there (${message}). Make it the owner of the database, or grant it what it lacks`
    : whyFailed(reason);
};

/** The parts of one node. Apart from opening, so that tests can run several nodes in one process. */
export async function join(
  { database, others, address }: { database: Database; others: Database; address: string },
  { warn, newId, credentialKey, log, ...options }: Omit<NodeOptions, "waitFor">,
) {
  const registration: Registration = new Registration({
    ...options,
    newId: () => nodeIdIn(credentialKey, newId()),
    database,
    // The queue is made below; nothing calls this before the registration starts.
    lapsed: (why) => queue.lose([...queue.held.values()], new StoreError(`This node gave up its worlds: ${why}.`)),
    async moved(query, node) {
      const lost = await divergent(query, node, queue.held.values());
      queue.lose(lost, explainTakeover(lost.map(({ id }) => id)));
    },
    failed: (reason) =>
      warn(`The database ${address} can't be used: ${whyFailed(reason)}. Requests are answered 503 until it can.`),
    recovered: () => warn(`The database ${address} can be used again.`),
  });
  const queue: WriteQueue = new WriteQueue({ database, registration, address });
  await registration.start();
  // Only now: of two that start at once each finds the other, or one of them does.
  await mustShareToken(database, address, { node: registration.node, credentialKey }).catch(async (reason) => {
    await registration.end();
    throw reason;
  });
  const cleaning = setInterval(() => {
    void clean(others).catch(() => undefined);
  }, CLEAN_MS);
  // Every node cleans; the deletes are idempotent.
  cleaning.unref();
  const close = async () => {
    clearInterval(cleaning);
    await Promise.all([database.close(), others.close()]);
  };
  return { store: new SharedDatabase({ log, database: others, registration, queue, close }), registration };
}

async function clean({ query }: Database): Promise<void> {
  await query("delete from nodes where until < clock_timestamp() - interval '1 hour'");
  // Nodes of version 0.2.0 make templates, and a young one may be about to be used.
  await query(
    `delete from templates t where t.created_at < now() - interval '1 hour'
     and not exists (select 1 from snapshots s where s.template = t.hash)`,
  );
}

/** After a change of the server that is the primary: which worlds of this node it does not have as they are in memory. */
async function divergent(query: Query, node: string, held: Iterable<HeldWorld>): Promise<HeldWorld[]> {
  const expected = Array.from(held, (world) => ({ world, written: world.written }));
  const { rows } = await query<{ id: string; epoch: string; seq: string }>(
    `select w.id, w.epoch, greatest(
       (select max(j.seq) from journal j where j.world = w.id),
       (select s.seq from snapshots s where s.world = w.id and s.name = ''), 0) as seq
     from worlds w where w.owner = $1`,
    [node],
  );
  const there = new Map(rows.map(({ id, epoch, seq }) => [id, { epoch: Number(epoch), seq: Number(seq) }]));
  return expected
    .filter(({ world: { id, epoch }, written }) => {
      const found = there.get(id);
      return epoch > 0 && !(found?.epoch === epoch && found.seq >= written);
    })
    .map(({ world }) => world);
}
