// Opens the store on PostgreSQL: connects, creates the tables, and registers this node.

import { type ActivityLog, StoreError } from "../../engine/log/index.ts";
import { formatNodeId } from "../../engine/world/index.ts";
import { connect, type Database, displayAddress, explainFailure, Hosts } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { findDivergentWorlds } from "./ownership.ts";
import { Registration } from "./registration.ts";
import { SharedDatabase, type SharedStore } from "./shared-store.ts";
import { assertSameToken, findWarnings, waitForDatabase } from "./start-checks.ts";
import { createTeamStore, type TeamStore } from "./team-use.ts";
import { explainTakeover, WriteQueue } from "./write-queue.ts";

/** A batch and a heartbeat have connections of their own, so that they never wait until worlds are opened. PostgreSQL's default is 100. */
const MAX_CONNECTIONS = { writes: 2, others: 3 };
/** Rows of dead nodes and unused templates do no harm. */
const CLEAN_MS = 10 * 60_000;

interface NodeOptions {
  /** The log that its entries are appended to. */
  log: ActivityLog;
  /** Seconds to wait for the database. */
  waitFor: number;
  /** Creates the id of a registration, a UUID. */
  newId(): string;
  /** All nodes derive the same key from their control token. */
  credentialKey: string;
  /** Returns the address at which the other nodes reach this one. */
  url(): string;
  version: string;
  /** Reads the clock of the machine, to compare it with the database's. */
  wall(): number;
  warn(sentence: string): void;
}

interface Opened {
  store: SharedStore;
  teams: TeamStore;
  warnings: string[];
}

/** Throws a StoreError with the address, without its password, and what to do. Nothing stays open then. */
export async function openDatabase(url: string, options: NodeOptions): Promise<Opened> {
  const address = displayAddress(url);
  let reportBrokenConnection: () => void = () => undefined;
  const hosts = new Hosts(url);
  const database = await connect(url, MAX_CONNECTIONS.writes, () => reportBrokenConnection(), hosts);
  const others = await connect(url, MAX_CONNECTIONS.others, () => reportBrokenConnection(), hosts);
  try {
    await waitForDatabase(database, hosts, address, options.waitFor);
    await migrate(database);
    const warnings = await findWarnings(database, url, options.wall);
    const made = await join({ database, others, address }, options);
    reportBrokenConnection = () => made.registration.doubt();
    return { store: made.store, teams: createTeamStore(others), warnings };
  } catch (reason) {
    await Promise.allSettled([database.close(), others.close()]);
    if (reason instanceof StoreError) throw reason;
    throw new StoreError(`The database ${address} can't be used: ${explainFailure(reason)}.`, { cause: reason });
  }
}

/** Creates the parts of one node. Tests run several nodes in one process. */
export async function join(
  { database, others, address }: { database: Database; others: Database; address: string },
  { warn, newId, credentialKey, log, ...options }: Omit<NodeOptions, "waitFor">,
) {
  const registration: Registration = new Registration({
    ...options,
    newId: () => formatNodeId(credentialKey, newId()),
    database,
    // The queue is made below; nothing calls this before the registration starts.
    lapsed: (why) => queue.lose([...queue.held.values()], new StoreError(`This node gave up its worlds: ${why}.`)),
    async checkNewPrimary(query, node) {
      const lost = await findDivergentWorlds(query, node, queue.held.values());
      queue.lose(lost, explainTakeover(lost.map(({ id }) => id)));
    },
    failed: (reason) =>
      warn(`The database ${address} can't be used: ${explainFailure(reason)}. Requests are answered 503 until it can.`),
    recovered: () => warn(`The database ${address} can be used again.`),
  });
  const queue: WriteQueue = new WriteQueue({ database, registration, address });
  await registration.start();
  // The check follows the registration, so that of two nodes that start at once, at least one finds the other.
  await assertSameToken(database, address, { node: registration.node, credentialKey }).catch(async (reason) => {
    await registration.end();
    throw reason;
  });
  const cleaning = setInterval(() => {
    void clean(others).catch(() => undefined);
  }, CLEAN_MS);
  cleaning.unref();
  const close = async () => {
    clearInterval(cleaning);
    await Promise.all([database.close(), others.close()]);
  };
  return { store: new SharedDatabase({ log, database: others, registration, queue, close }), registration };
}

async function clean({ query }: Database): Promise<void> {
  await query("delete from nodes where until < clock_timestamp() - interval '1 hour'");
  // Nodes of version 0.2.0 create templates, and may be about to use a young one.
  await query(
    `delete from templates t where t.created_at < now() - interval '1 hour'
     and not exists (select 1 from snapshots s where s.template = t.hash)`,
  );
}
