// The server to use, of an address with several: the one that can be written. After a failure that may mean that another one has taken its
// place, all are asked again.

/** Connections to one server. */
interface Pool {
  query(sql: string): Promise<{ rows: { standby?: boolean }[] }>;
  end(): Promise<void>;
}

/**
 * `postgres://user@a,b:5433/name` → an address for each host; a host without a port has the default. By hand, since URL
 * refuses a list of hosts, which libpq takes.
 */
export function hostsIn(url: string): string[] {
  const found = /^(?<before>[a-z]+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^@/?#]*)(?<after>.*)$/i.exec(url);
  const { before = "", hosts = "", after = "" } = found?.groups ?? {};
  return hosts.includes(",") ? hosts.split(",").map((host) => `${before}${host}${after}`) : [url];
}

interface Primary<P> {
  pool(): Promise<P>;
  /** Throws the reason again. */
  failed(pool: P, reason: unknown): never;
  close(): Promise<void>;
}

/** Pools are opened when first needed. With one host nothing is asked: the first statement tells. */
export function primaryOf<P extends Pool>(open: readonly (() => P)[]): Primary<P> {
  let current: P | undefined;
  let finding: Promise<P> | undefined;
  const end = (pool: P) => pool.end().catch(() => undefined);
  const find = async () => {
    const found = open.length === 1 ? open[0]?.() : await firstWritable(open);
    if (!found) throw new Error("none of its hosts can be written");
    current = found;
    return found;
  };
  return {
    async pool() {
      if (current) return current;
      // Whoever needs it meanwhile waits for the same search.
      finding ??= find().finally(() => {
        finding = undefined;
      });
      return finding;
    },
    // Only where this very pool is in use: an old failure must not end the new one.
    failed(pool, reason) {
      if (open.length > 1 && pool === current && mayHaveMoved(reason)) {
        current = undefined;
        void end(pool);
      }
      throw reason;
    },
    async close() {
      const last = await finding?.catch(() => undefined);
      await Promise.all([last, current].filter((pool) => pool !== undefined).map(end));
    },
  };
}

/** All are asked at once: one of them may be gone, and not answer. */
async function firstWritable<P extends Pool>(open: readonly (() => P)[]): Promise<P> {
  const pools = open.map((each) => each());
  const answers = pools.map(async (pool) => {
    const { rows } = await pool.query("select pg_is_in_recovery() as standby");
    if (rows[0]?.standby) throw new Error("none of its hosts can be written: those that answer are standbys");
    return pool;
  });
  let chosen: P | undefined;
  try {
    chosen = await Promise.any(answers);
    return chosen;
  } catch (reason) {
    // The reason of one host says more than "all promises were rejected".
    throw (reason as AggregateError).errors.at(-1);
  } finally {
    for (const pool of pools) if (pool !== chosen) void pool.end().catch(() => undefined);
  }
}

/** Whether the server said so, and goes on; all other errors are of the connection. */
export const isFromServer = (reason: unknown): boolean => {
  const { severity, code = "" } = reason as { severity?: string; code?: string };
  return severity !== undefined && !OF_CONNECTION.test(code);
};

/** The classes "connection exception" and "operator intervention". */
const OF_CONNECTION = /^(08|57P)/;

/** The state "read_only_sql_transaction": the server is a standby now, and still answers. */
const READ_ONLY = "25006";

const mayHaveMoved = (reason: unknown): boolean =>
  !isFromServer(reason) || (reason as { code?: string }).code === READ_ONLY;
