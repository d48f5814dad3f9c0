// Connections to PostgreSQL, by the driver `pg`. It is not part of this package: who uses --database installs it, and it is loaded only then.
import type { Pool as PgPool, QueryResult } from "pg";
import { StoreError } from "../store-error.ts";

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

/** A statement that takes longer has failed: whoever waits for it is answered. */
const STATEMENT_MS = 5000;
const CONNECT_MS = 3000;
const MOST_CONNECTIONS = 3;

export async function connect(url: string): Promise<Database> {
  const { Pool } = await driver();
  const pool: PgPool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    application_name: "experience-sandbox",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    // The server may be stopped, or the network cut: then it can't end the statement.
    query_timeout: STATEMENT_MS + 1000,
    keepAlive: true,
    allowExitOnIdle: false,
  });
  // A connection breaks: the statement under way fails, and the next one takes another connection.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  const by =
    (run: (sql: string, values: unknown[]) => Promise<QueryResult>): Query =>
    async <R>(sql: string, values: readonly unknown[] = []) => {
      const { rows, rowCount } = await run(sql, [...values]);
      return { rows: rows as R[], rowCount: rowCount ?? 0 };
    };
  return {
    query: by((sql, values) => pool.query(sql, values)),
    async transaction(work) {
      const client = await pool.connect();
      let broken: unknown;
      try {
        await client.query("begin");
        const result = await work(by((sql, values) => client.query(sql, values)));
        await client.query("commit");
        return result;
      } catch (reason) {
        broken = reason;
        await client.query("rollback").then(
          () => (broken = undefined),
          () => undefined,
        );
        throw reason;
      } finally {
        client.release(broken !== undefined);
      }
    },
    close: () => pool.end(),
  };
}

async function driver(): Promise<typeof import("pg")> {
  try {
    const loaded = await import("pg");
    return (loaded as unknown as { default?: typeof loaded }).default ?? loaded;
  } catch (reason) {
    if ((reason as { code?: string }).code !== "ERR_MODULE_NOT_FOUND" && !isMissing(reason)) throw reason;
    throw new StoreError(
      "--database needs the package pg, the driver of PostgreSQL, which is not installed here. Install it with `npm install pg`.",
    );
  }
}

const isMissing = (reason: unknown): boolean => (reason as { code?: string }).code === "MODULE_NOT_FOUND";

/** The address without its password, for messages. */
export function shownAddress(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host || "the local socket"}${pathname}`;
  } catch {
    return "the database";
  }
}

/** Why a statement failed, in a few words and without the values that it had. */
export function whyFailed(reason: unknown): string {
  const { code = "", message = "" } = reason as { code?: string; message?: string };
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOTFOUND: "its host name is unknown",
    ECONNRESET: "the connection broke",
    ENOENT: "its socket does not exist",
    "28P01": "the password is wrong",
    "28000": "this user may not sign in",
    "3D000": "there is no database of this name",
    "42501": "this user lacks a right there",
    "53300": "it has no connection left",
    "57P03": "it is starting or stopping",
    "57P01": "it was stopped",
    "25006": "it is a standby, which can't be written",
  };
  const first = (reason as { errors?: unknown[] }).errors?.[0];
  return known[code] ?? (first ? whyFailed(first) : message.split("\n")[0] || "it gave no reason");
}
