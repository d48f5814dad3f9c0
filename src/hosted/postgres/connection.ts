// Connections to PostgreSQL, by the driver `pg`. It is not part of this package: who uses --database installs it, and it is loaded only then.
import type { Pool as PgPool, QueryResult } from "pg";
import { StoreError } from "../../engine/log/index.ts";

export interface Rows<R> {
  rows: R[];
  rowCount: number;
}

/** Runs one statement. */
export type Query = <R extends object>(sql: string, values?: readonly unknown[]) => Promise<Rows<R>>;

export interface Database {
  query: Query;
  /** All statements of `work` together, or none. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Which server answers, and since which start of it: one that has taken the place of another is different. */
export const SERVER = "extract(epoch from pg_postmaster_start_time())::text";

/** A statement that takes longer has failed: whoever waits for it is answered. The server may be stopped, or the network cut. */
const STATEMENT_MS = 5000;
/** Short, since a node has eight seconds in all before its worlds may be taken. */
const CONNECT_MS = 3000;
/**
 * For this transaction only, since a connection may be shared. A node that is paused in the middle must not keep its
 * locks. `set local`, which a pooler between transactions understands too.
 */
const BEGIN = `begin; set local statement_timeout = ${STATEMENT_MS}; set local idle_in_transaction_session_timeout = ${STATEMENT_MS}`;

/** The servers of an address, `postgres://user@a,b:5433/name`, which `URL` can't read. One of them is in use by all connections of a node. */
export class Hosts {
  readonly addresses: readonly string[];
  #index = 0;

  constructor(url: string) {
    const found = /^(?<before>[a-z]+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^@/?#]*)(?<after>.*)$/i.exec(url);
    const { before = "", hosts = "", after = "" } = found?.groups ?? {};
    this.addresses = hosts.includes(",") ? hosts.split(",").map((host) => `${before}${host}${after}`) : [url];
  }

  get current(): string {
    return this.addresses[this.#index] as string;
  }

  /** An old failure must not end the use of another server: `failed` is the one that it is about. */
  skip(failed: string): void {
    if (failed === this.current) this.#index = (this.#index + 1) % this.addresses.length;
  }
}

/**
 * `broken` is called when a connection that nobody uses ends: the server may have been replaced. Does not connect by itself: the first
 * statement does. After a failure that may mean that another server has taken the place of this one, the next statement tries the next host.
 */
export async function connect(
  url: string,
  maxConnections: number,
  broken: () => void = () => undefined,
  hosts = new Hosts(url),
): Promise<Database> {
  const { Pool } = await loadDriver();
  const open = (host: string): PgPool => {
    const pool = new Pool({
      connectionString: host,
      max: maxConnections,
      application_name: "experience-sandbox",
      connectionTimeoutMillis: CONNECT_MS,
      // The driver's own limit, a second later, for a server that does not answer at all.
      query_timeout: STATEMENT_MS + 1000,
      keepAlive: true,
    });
    // The statement under way fails, and the next one takes another connection.
    pool.on("error", () => broken());
    // An error without a listener would end the process.
    pool.on("connect", (client) => void client.on("error", () => undefined));
    return pool;
  };
  let [host, pool] = [hosts.current, open(hosts.current)];
  const run = async <T>(work: (own: PgPool) => Promise<T>): Promise<T> => {
    if (host !== hosts.current) {
      void pool.end().catch(() => undefined);
      [host, pool] = [hosts.current, open(hosts.current)];
    }
    const used = host;
    return work(pool).catch((reason) => {
      if (mayHaveMoved(reason)) hosts.skip(used);
      throw reason;
    });
  };
  return {
    query: toQuery((sql, values) => run((own) => own.query(sql, values))),
    transaction: (work) => run((own) => runTransaction(own, work)),
    // A second end of a pool fails.
    close: () => pool.end().catch(() => undefined),
  };
}

/** Whether the server has answered, and continues; all other errors are of the connection. */
const isFromServer = (reason: unknown): boolean => {
  const { severity, code = "" } = reason as { severity?: string; code?: string };
  return severity !== undefined && !CONNECTION_CODE.test(code);
};

/** The classes "connection exception" and "operator intervention". */
const CONNECTION_CODE = /^(08|57P)/;

/** The state "read_only_sql_transaction": the server is a standby now, and still answers. */
const READ_ONLY = "25006";

const mayHaveMoved = (reason: unknown): boolean =>
  !isFromServer(reason) || (reason as { code?: string }).code === READ_ONLY;

/** Rows as data alone: nothing outside this file sees the driver's types. */
const toQuery =
  (run: (sql: string, values: unknown[]) => Promise<QueryResult>): Query =>
  async <R>(sql: string, values: readonly unknown[] = []) => {
    const { rows, rowCount } = await run(sql, [...values]);
    return { rows: rows as R[], rowCount: rowCount ?? 0 };
  };

/**
 * A connection whose state is in doubt is destroyed and not given back: the next who got it would be inside a
 * stranger's transaction.
 */
async function runTransaction<T>(pool: PgPool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query(BEGIN);
    const result = await work(toQuery((sql, values) => client.query(sql, values)));
    await client.query("commit");
    isBroken = false;
    return result;
  } catch (reason) {
    // Where the server did not say what is wrong, nobody knows what the connection is still doing.
    if (isFromServer(reason))
      isBroken = await client.query("rollback").then(
        () => false,
        () => true,
      );
    throw reason;
  } finally {
    client.release(isBroken);
  }
}

/** Imported by name at run time, so that nobody who does without a database needs the package. */
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

/**
 * The address without its password, for messages. Never throws: it stands in messages about addresses that can't be
 * read.
 */
export function displayAddress(url: string): string {
  try {
    const hosts = new Hosts(url).addresses.map((each) => new URL(each));
    return `${hosts.map(({ host }) => host || "the local socket").join(",")}${hosts[0]?.pathname}`;
  } catch {
    return "the database";
  }
}

/**
 * Why a statement failed, in a few words and without the values that it had. Codes of Node and SQLSTATEs of PostgreSQL;
 * unknown ones keep the server's first line.
 */
export function whyFailed(reason: unknown): string {
  const { code = "", message = "" } = reason as { code?: string; message?: string };
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOTFOUND: "its host name is unknown",
    ECONNRESET: "the connection broke",
    ENOENT: "its socket does not exist",
    "28P01": "the user or the password is wrong",
    "28000": "this user may not sign in",
    "3D000": "there is no database of this name",
    "42501": "this user lacks a right there",
    "53300": "it has no connection left",
    "57P03": "it is starting or stopping",
    "57P01": "it was stopped",
    "25006": "it is a standby, which can't be written",
  };
  // The driver's own words for it name a step of the protocol.
  if (/client password must be/.test(message))
    return "it wants a password, and the address has none. Write it as postgres://user:password@host/name";
  if (/in statement pooling mode/.test(message))
    return "the pgbouncer there pools single statements. Set pool_mode = transaction in its pgbouncer.ini, for this database at least";
  // An AggregateError has one reason for each address that was tried; the first is as good as any.
  const first = (reason as { errors?: unknown[] }).errors?.[0];
  return known[code] ?? (first ? whyFailed(first) : message.split("\n")[0] || "it gave no reason");
}
