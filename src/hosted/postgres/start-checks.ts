// What is looked at before a node starts: whether the database can be used at all, and what the person who runs it should know about it.
import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "../../engine/log/store-error.ts";
import { isSameToken } from "../../engine/world/state/credential.ts";
import { type Database, whyFailed } from "./connection.ts";

/** Between two attempts while the database starts. */
const AGAIN_MS = 500;
/** As `server_version_num` has it: version 14. */
const OLDEST = 140_000;
/** Between the clocks of a node and of the database. */
const MOST_SKEW_MS = 500;

/**
 * Waits until the database can be written, at most so many seconds. Throws a StoreError at the end, or at once where
 * waiting can't help.
 */
export async function reached(database: Database, address: string, waitFor: number): Promise<void> {
  const until = performance.now() + waitFor * 1000;
  for (;;) {
    const why = await whyNotYet(database, address);
    if (!why) return;
    if (performance.now() >= until) throw new StoreError(`${why} Waited ${waitFor} s ({option waitFor}).`);
    await pause(AGAIN_MS);
  }
}

async function whyNotYet(database: Database, address: string): Promise<string | undefined> {
  try {
    const { rows } = await database.query<{ version: number; standby: boolean; readonly: string }>(
      `select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby,
              current_setting('transaction_read_only') as readonly`,
    );
    const [{ version = 0, standby = false, readonly = "off" } = {}] = rows;
    if (version < OLDEST)
      throw new StoreError(
        `The database ${address} is PostgreSQL ${Math.floor(version / 10_000)}; 14 or newer is needed.`,
      );
    if (standby)
      return `The database ${address} is a standby, which can't be written. Give the address of the primary.`;
    if (readonly === "on")
      return `The database ${address} can't be written: default_transaction_read_only is on for this user or database.`;
    return undefined;
  } catch (reason) {
    if (reason instanceof StoreError) throw reason;
    const why = `The database ${address} can't be reached: ${whyFailed(reason)}.`;
    if (isRejection(reason)) throw new StoreError(why);
    return why;
  }
}

/** The server is there, and lets nobody in with what the address says: waiting does not help. */
function isRejection(reason: unknown): boolean {
  const { code = "", message = "" } = reason as { code?: string; message?: string };
  return code === "28P01" || code === "28000" || /client password must be/.test(message);
}

/**
 * Rejects where another node of the database has another control token. One that was killed stays in the table for eight seconds, so it
 * counts only once it has renewed its row.
 */
export async function mustShareToken(
  { query }: Database,
  address: string,
  { node, credentialKey }: { node: string; credentialKey: string },
): Promise<void> {
  const seen = new Map<string, string>();
  for (;;) {
    const { rows } = await query<{ id: string; url: string; until: string }>(
      "select id, url, until::text as until from nodes where id <> $1 and until > clock_timestamp()",
      [node],
    );
    const others = rows.filter(({ id }) => !isSameToken(credentialKey, id));
    if (others.length === 0) return;
    for (const { id, url, until } of others) {
      if ((seen.get(id) ?? until) !== until)
        throw new StoreError(
          `The node ${url} uses the database ${address} with another control token, and all nodes need the same. Start this one with that of the others ({option controlToken}, SANDBOX_CONTROL_TOKEN), or stop them all first.`,
        );
      seen.set(id, until);
    }
    await pause(AGAIN_MS);
  }
}

/** A user without the role pg_monitor sees that there are some, and not of which kind: none is synchronous where no name says so. */
const STANDBYS = `select count(*)::int as count from pg_stat_replication
  where sync_state = 'async' or (sync_state is null and current_setting('synchronous_standby_names') = '')`;

/**
 * From another machine, as the server sees it. Whoever writes `sslmode` into the address has decided. A local socket
 * has no client address, so it is never counted.
 */
const UNENCRYPTED = `select not coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)
    and not inet_client_addr() <<= inet '127.0.0.0/8' and inet_client_addr() not in (inet '::1', inet_server_addr()) as is`;
const SAYS_SSLMODE = /[?&]sslmode=/;

async function isUnencrypted(database: Database, url: string): Promise<boolean> {
  if (SAYS_SSLMODE.test(url)) return false;
  const { rows } = await database.query<{ is: boolean | null }>(UNENCRYPTED);
  return rows[0]?.is ?? false;
}

/**
 * An acknowledged change is on the primary's disk, unless the server is set to lie about it. One sentence each; none
 * keeps the node from starting.
 */
export async function warningsOf(database: Database, url: string, wall: () => number): Promise<string[]> {
  const { rows } = await database.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'synchronous_standby_names')",
  );
  const setting = Object.fromEntries(rows.map(({ name, setting: value }) => [name, value]));
  const standbys = await database
    .query<{ count: number }>(STANDBYS)
    .then(({ rows: [row] }) => row?.count ?? 0)
    // A warning that can't be decided on is no reason not to start.
    .catch(() => 0);
  const skew = await skewOf(database, wall);
  return [
    ...((await isUnencrypted(database, url))
      ? [
          "The connection to the database is not encrypted: whoever is on its way can read and change what is sent. Add ?sslmode=verify-full to the address, or ?sslmode=disable where the network is trusted.",
        ]
      : []),
    ...(setting.fsync === "off"
      ? ["The database has fsync off: a crash of its machine can lose acknowledged changes."]
      : []),
    ...(setting.synchronous_commit === "off"
      ? ["The database has synchronous_commit off: a crash can lose acknowledged changes."]
      : []),
    ...(standbys > 0
      ? ["The database has a standby that is not synchronous: a failover to it can lose acknowledged changes."]
      : []),
    ...(Math.abs(skew) > MOST_SKEW_MS
      ? [
          `The clock of this machine is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew > 0 ? "ahead of" : "behind"} the database's: worlds go by the database's. Synchronise both (NTP).`,
        ]
      : []),
  ];
}

/** Milliseconds; half of the way there and back is taken off. */
async function skewOf(database: Database, wall: () => number): Promise<number> {
  const sent = wall();
  const { rows } = await database.query<{ now: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
  );
  return (sent + wall()) / 2 - (rows[0]?.now ?? sent);
}
