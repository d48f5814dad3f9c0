// Opens the store on PostgreSQL: connects, makes the tables, takes the lease, and loads what is there. A node that finds another one
// serving waits, and takes over when that one ends or is cut off.
import { setTimeout as pause } from "node:timers/promises";
import type { StateDump } from "../../log-records.ts";
import { StoreError } from "../../store-error.ts";
import type { TeamStore } from "../../team-store.ts";
import { connect, type Database, shownAddress, whyFailed } from "../connection.ts";
import { migrate } from "../migrations.ts";
import { teamStore } from "../team-use.ts";
import { type DatabaseStore, databaseStore } from "./database-store.ts";
import { Lease } from "./lease.ts";
import { load } from "./load-worlds.ts";

const AGAIN_MS = 500;

interface Options {
  /** Seconds to wait for the database. */
  waitFor: number;
  /** The id of this node. */
  node: string;
  /** Where this node is reached, for the one that waits. */
  url(): string;
  warn(sentence: string): void;
}

interface Opened {
  store: DatabaseStore;
  state: StateDump | null;
  warnings: string[];
  teams: TeamStore;
}

export async function openDatabase(url: string, { waitFor, node, url: own, warn }: Options): Promise<Opened> {
  const address = shownAddress(url);
  const database = await connect(url);
  try {
    await reached(database, address, waitFor);
    await migrate(database);
    const warnings = await warningsOf(database);
    const lease = new Lease(database, node, own);
    await taken(lease, address, warn);
    const loaded = await load(database.query);
    const store = databaseStore({ database, lease, address, loaded, warn });
    return { store, state: loaded?.state ?? null, warnings, teams: teamStore(database) };
  } catch (reason) {
    await database.close().catch(() => undefined);
    if (reason instanceof StoreError) throw reason;
    throw new StoreError(`The database ${address} can't be used: ${whyFailed(reason)}.`, { cause: reason });
  }
}

async function reached(database: Database, address: string, waitFor: number): Promise<void> {
  const until = performance.now() + waitFor * 1000;
  for (;;) {
    try {
      const { rows } = await database.query<{ version: number; standby: boolean }>(
        "select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby",
      );
      const [{ version = 0, standby = false } = {}] = rows;
      if (version < 140_000)
        throw new StoreError(
          `The database ${address} is PostgreSQL ${Math.floor(version / 10_000)}; 14 or newer is needed.`,
        );
      if (!standby) return;
      if (performance.now() >= until)
        throw new StoreError(
          `The database ${address} is a standby, which can't be written. Give the address of the primary.`,
        );
    } catch (reason) {
      if (reason instanceof StoreError) throw reason;
      if (performance.now() >= until)
        throw new StoreError(
          `The database ${address} can't be reached: ${whyFailed(reason)}. Waited ${waitFor} s (--wait-for).`,
          { cause: reason },
        );
    }
    await pause(AGAIN_MS);
  }
}

async function taken(lease: Lease, address: string, warn: (sentence: string) => void): Promise<void> {
  let said = false;
  for (;;) {
    const holder = await lease.take();
    if (!holder) return;
    if (!said)
      warn(
        `The sandbox at ${holder.url || "another address"} serves the database ${address}. This one waits, and takes over when that one ends.`,
      );
    said = true;
    await pause(Math.min(AGAIN_MS, Math.max(50, holder.left * 1000)));
  }
}

/** What the person who runs it should know: an acknowledged change is on the primary's disk, unless the server is set to lie about it. */
async function warningsOf(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'synchronous_standby_names')",
  );
  const setting = Object.fromEntries(rows.map(({ name, setting: value }) => [name, value]));
  const standbys = await database
    .query<{ count: number }>("select count(*)::int as count from pg_stat_replication where sync_state = 'async'")
    .then(({ rows: [row] }) => row?.count ?? 0)
    .catch(() => 0);
  return [
    ...(setting.fsync === "off"
      ? ["The database has fsync off: a crash of its machine can lose acknowledged changes."]
      : []),
    ...(setting.synchronous_commit === "off"
      ? ["The database has synchronous_commit off: a crash can lose acknowledged changes."]
      : []),
    ...(standbys > 0 && setting.synchronous_standby_names === ""
      ? ["The database has a standby that is not synchronous: a failover to it can lose acknowledged changes."]
      : []),
  ];
}
