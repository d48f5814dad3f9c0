// Connections to PostgreSQL through the driver `pg`. This package does not contain the driver: users of --database
// install it, and the sandbox loads it only then.
import { setTimeout as pause } from "node:timers/promises";
import type { Pool as PgPool, QueryResult } from "pg";
import { StoreError } from "../../engine/log/index.ts";

/** Runs one statement, and returns its rows. */
export type Query = <R extends object>(sql: string, values?: readonly unknown[]) => Promise<R[]>;

export interface Database {
  query: Query;
  /** Runs all statements of `work`, or none. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Identifies one start of one server. A promoted standby has another value. */
export const SERVER = "extract(epoch from pg_postmaster_start_time())::text";

/** A statement that takes longer has failed, because the server may be stopped or the network cut. */
const STATEMENT_MS = 5000;
/** Short, because other nodes may take the worlds of a node after eight seconds. */
const CONNECT_MS = 3000;
/**
 * A node that is paused in the middle must not keep its locks. `set local`, because a pooler shares connections between
 * transactions.
 */
const BEGIN = `begin; set local statement_timeout = ${STATEMENT_MS}; set local idle_in_transaction_session_timeout = ${STATEMENT_MS}`;

/** The first statement connects. `broken` is called when an idle connection ends, because the server may have been replaced. */
export async function connect(url: string, maxConnections: number, broken = () => {}): Promise<Database> {
  const { Pool } = await loadDriver();
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    application_name: "experience-sandbox",
    connectionTimeoutMillis: CONNECT_MS,
    // The driver's own limit, a second later, for a server that is silent.
    query_timeout: STATEMENT_MS + 1000,
    keepAlive: true,
  });
  // The next statement takes another connection.
  pool.on("error", broken);
  // An error without a listener would end the process.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return {
    query: toQuery((sql, values) => pool.query(sql, values)),
    transaction: (work) => runTransaction(pool, work),
    // A second end of a pool fails.
    close: () => pool.end().catch(() => undefined),
  };
}

const toQuery =
  (run: (sql: string, values: unknown[]) => Promise<QueryResult>): Query =>
  async <R>(sql: string, values: readonly unknown[] = []) =>
    (await run(sql, values.map(replaceNul))).rows as R[];

/** A text of PostgreSQL can't have a NUL, but a request may have one. */
export const replaceNul = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;

/** Closes the connection after a failure, which rolls back: its next user would be inside this transaction. */
async function runTransaction<T>(pool: PgPool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isDone = false;
  try {
    await client.query(BEGIN);
    const result = await work(toQuery((sql, values) => client.query(sql, values)));
    await client.query("commit");
    isDone = true;
    return result;
  } finally {
    client.release(!isDone);
  }
}

/** Resolves to undefined after `ms`, because a silent database must not delay a node that stops. */
export const waitAtMost = <T>(ms: number, work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work, pause(ms, undefined, { ref: false })]);

/** Imports the package here, because only a sandbox with a database needs it. */
async function loadDriver(): Promise<typeof import("pg")> {
  try {
    const loaded = await import("pg");
    return (loaded as unknown as { default?: typeof loaded }).default ?? loaded;
  } catch (reason) {
    const { code = "" } = reason as { code?: string };
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(code)) throw reason;
    throw new StoreError(
      "{option database} needs the package pg, the driver of PostgreSQL, which is not installed here. Install it with `npm install pg`.",
    );
  }
}

/** The address without its password, for messages. Never throws, because some messages are about addresses that can't be read. */
export function displayAddress(url: string): string {
  if (!URL.canParse(url)) return "the database";
  const { host, pathname } = new URL(url);
  return `${host || "the local socket"}${pathname}`;
}

/** Describes why a statement failed, in the words of the server or the system, without the values that it had. */
export function explainFailure(reason: unknown): string {
  const { message = "" } = reason as { message?: string };
  // The message of the driver names a step of the protocol.
  if (/client password must be/.test(message))
    return "it requires a password, and the address has none. Write the address as postgres://user:password@host/name";
  // An AggregateError has one reason for each address that was tried.
  const first = (reason as { errors?: unknown[] }).errors?.[0];
  return first ? explainFailure(first) : message.split("\n")[0] || "it gave no reason";
}
