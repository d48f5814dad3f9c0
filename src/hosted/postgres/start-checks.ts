// Checks before a node starts: whether the database can be used, and what the operator should know about it.
import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "../../engine/log/index.ts";
import { hasSameToken } from "../../engine/world/index.ts";
import { type Database, explainFailure } from "./connection.ts";

const RETRY_DELAY_MS = 500;
/** Between the clocks of a node and of the database. */
const MAX_SKEW_MS = 500;

/**
 * Waits until the database can be written, at most `seconds`. Throws a StoreError at the end, or at once if waiting
 * can't help.
 */
export async function waitForDatabase({ query }: Database, address: string, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    let why = `The database ${address} can't be written: it is a standby, or default_transaction_read_only is on. Give the address of the primary.`;
    try {
      const [found] = await query<{ is: string }>("select current_setting('transaction_read_only') as is");
      if (found?.is !== "on") return;
    } catch (reason) {
      why = `The database ${address} can't be reached: ${explainFailure(reason)}.`;
      if (isRejection(reason)) throw new StoreError(why);
    }
    if (performance.now() >= until) throw new StoreError(`${why} Waited ${seconds} s ({option waitFor}).`);
    await pause(RETRY_DELAY_MS);
  }
}

/** Whether the server rejects the user of the address, so that waiting does not help. */
function isRejection(reason: unknown): boolean {
  const { code = "", message = "" } = reason as { code?: string; message?: string };
  return code === "28P01" || code === "28000" || /client password must be/.test(message);
}

/** Throws if another node has another control token. A killed node counts as running for eight seconds. */
export async function assertSameToken({ query }: Database, address: string, credentialKey: string): Promise<void> {
  const nodes = await query<{ id: string; url: string }>("select id, url from nodes where until > clock_timestamp()");
  const other = nodes.find(({ id }) => !hasSameToken(credentialKey, id));
  if (other)
    throw new StoreError(
      `The node ${other.url} uses the database ${address} with another control token, and all nodes need the same. Start this one with that of the others ({option controlToken}, SANDBOX_CONTROL_TOKEN), or stop them all first, and wait for eight seconds after a crash.`,
    );
}

/** Problems of a database that can be used: the condition, and the warning. `$1`: the address says nothing about encryption. */
const WARNINGS = [
  [
    // The address is null for a local socket, so the condition is not true for it.
    `$1 and not coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)
     and not inet_client_addr() <<= inet '127.0.0.0/8' and inet_client_addr() not in (inet '::1', inet_server_addr())`,
    "The connection to the database is not encrypted: others on the network can read and change its data. Add ?sslmode=verify-full to the address, or ?sslmode=disable where the network is trusted.",
  ],
  [
    "current_setting('fsync') = 'off'",
    "The database has fsync off: a crash of its machine can lose acknowledged changes.",
  ],
  [
    "current_setting('synchronous_commit') = 'off'",
    "The database has synchronous_commit off: a crash can lose acknowledged changes.",
  ],
  [
    // A user without the role pg_monitor does not see the kind of a standby. Without a name in the setting, none is synchronous.
    `exists (select 1 from pg_stat_replication
     where sync_state = 'async' or (sync_state is null and current_setting('synchronous_standby_names') = ''))`,
    "The database has a standby that is not synchronous: a failover to it can lose acknowledged changes.",
  ],
] as const;

/** Returns the warnings about the database, which do not prevent the start. */
export async function findWarnings({ query }: Database, url: string, wall: () => number): Promise<string[]> {
  const conditions = WARNINGS.map(([condition]) => condition).join(", ");
  const sql = `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now, array[${conditions}] as found`;
  const sent = wall();
  // A failed query causes no warning, and the node starts.
  const [row] = await query<{ now: number; found: boolean[] }>(sql, [!/[?&]sslmode=/.test(url)]).catch(() => []);
  const received = wall();
  const warnings: string[] = WARNINGS.filter((_, index) => row?.found[index]).map(([, sentence]) => sentence);
  // The database is assumed to have read its clock halfway between.
  const skew = (sent + received) / 2 - (row?.now ?? received);
  if (Math.abs(skew) > MAX_SKEW_MS)
    warnings.push(
      `The clock of this machine is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew > 0 ? "ahead of" : "behind"} the database's: worlds use the clock of the database. Synchronise both (NTP).`,
    );
  return warnings;
}
