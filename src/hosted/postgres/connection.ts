// Connections to PostgreSQL through the driver `pg`. This package does not contain the driver: users of --database install it, and the
// sandbox loads it only then.
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
/** A node that is paused in the middle must not keep its locks. `set local`, because a pooler shares connections between transactions. */
const BEGIN = `begin; set local statement_timeout = ${STATEMENT_MS}; set local idle_in_transaction_session_timeout = ${STATEMENT_MS}`;

/** The servers of an address such as `postgres://user@a,b:5433/name`, which `URL` can't read. All connections of a node use one of them. */
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

  /** Does nothing if `failed` is no longer in use: an old failure must not end the use of another server. */
  skip(failed: string): void {
    if (failed === this.current) this.#index = (this.#index + 1) % this.addresses.length;
  }
}

/**
 * The first statement connects. `broken` is called when an idle connection ends, because the server may have been replaced. After a failure
 * that can mean this, the next statement tries the next host.
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
      // The driver's own limit, a second later, for a server that is silent.
      query_timeout: STATEMENT_MS + 1000,
      keepAlive: true,
    });
    // The next statement takes another connection.
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
      if (isFailover(reason)) hosts.skip(used);
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

/** Whether the server has sent the error, and continues. All other errors are of the connection. */
const isFromServer = (reason: unknown): boolean => {
  const { severity, code = "" } = reason as { severity?: string; code?: string };
  return severity !== undefined && !CONNECTION_CODE.test(code);
};

/** The classes "connection exception" and "operator intervention". */
const CONNECTION_CODE = /^(08|57P)/;

/** The state "read_only_sql_transaction": the server is a standby now. */
const READ_ONLY = "25006";

const INSUFFICIENT_PRIVILEGE = "42501";

const isFailover = (reason: unknown): boolean =>
  !isFromServer(reason) || (reason as { code?: string }).code === READ_ONLY;

const toQuery =
  (run: (sql: string, values: unknown[]) => Promise<QueryResult>): Query =>
  async <R>(sql: string, values: readonly unknown[] = []) =>
    (await run(sql, [...values])).rows as R[];

/** Destroys a connection whose state is in doubt: its next user would be inside this transaction. */
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
    // If the error is not from the server, a statement may still be running on the connection.
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
  try {
    const hosts = new Hosts(url).addresses.map((each) => new URL(each));
    return `${hosts.map(({ host }) => host || "the local socket").join(",")}${hosts[0]?.pathname}`;
  } catch {
    return "the database";
  }
}

/** Describes why a statement failed, without the values that it had. An unknown code keeps the first line of the server. */
export function explainFailure(reason: unknown): string {
  const { code = "", message = "" } = reason as { code?: string; message?: string };
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOTFOUND: "its host name is unknown",
    ECONNRESET: "the connection broke",
    ENOENT: "its socket does not exist",
    "28P01": "the user or the password is wrong",
    "28000": "this user may not sign in",
    "3D000": "there is no database of this name",
    "53300": "it has no connection left",
    "57P03": "it is starting or stopping",
    "57P01": "it was stopped",
    "25006": "it is a standby, which can't be written",
  };
  // The message of the driver names a step of the protocol.
  if (/client password must be/.test(message))
    return "it requires a password, and the address has none. Write the address as postgres://user:password@host/name";
  if (/in statement pooling mode/.test(message))
    return "the pgbouncer there pools single statements. Set pool_mode = transaction in its pgbouncer.ini, for this database at least";
  if (code === INSUFFICIENT_PRIVILEGE)
    return `this user has insufficient privileges (${message}). Make the user the owner of the database, or grant the missing privileges`;
  // An AggregateError has one reason for each address that was tried.
  const first = (reason as { errors?: unknown[] }).errors?.[0];
  return known[code] ?? (first ? explainFailure(first) : message.split("\n")[0] || "it gave no reason");
}
