// A share of the connections: so that heartbeats and batches never wait behind a crowd of worlds that are opened.
import type { Database } from "./connection.ts";

/** The same database, of which at most so many connections are used at once. */
export function atMost(most: number, database: Database): Database {
  let free = most;
  // First come, first served; a slot is handed to the next without being free in between.
  const queue: (() => void)[] = [];
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => queue.push(go));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
  return {
    query: (sql, values) => within(() => database.query(sql, values)),
    transaction: (work) => within(() => database.transaction(work)),
    close: () => database.close(),
  };
}
