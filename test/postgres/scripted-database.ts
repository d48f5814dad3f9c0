// A database that fails as it is told to: the statements are carried out by a real one, but the store sees a connection cut before, while or
// after, an error, or an answer that takes its time. What is carried out later has connections of its own.
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Query } from "../../src/hosted/postgres/connection.ts";

type Plan =
  /** The server says no, and does nothing. */
  | { is: "refused"; code: string }
  /** The connection is cut; the statement is under way, and in effect only so many milliseconds later. */
  | { is: "cut, done later"; ms: number }
  /** The connection is cut; the statement gets to the server only so many milliseconds later, or when the test says. */
  | { is: "cut, sent later"; when: number | Promise<unknown> }
  /** It is done; its answer is lost. */
  | { is: "done, answer lost" }
  /** It is answered so many milliseconds after it was done. */
  | { is: "answered late"; ms: number }
  /** It waits until it is let go. */
  | { is: "held"; until: Promise<unknown> };

export interface Scripted extends Database {
  /** The next statement with these words, or the next so many. */
  next(words: string, plan: Plan, times?: number): void;
  /** How many statements with these words there were. */
  count(words: string): number;
  /** Resolves when what was to be done later is done. */
  aside(): Promise<unknown>;
}

const messageByServer = (code: string) => Object.assign(new Error(`scripted: ${code}`), { code, severity: "ERROR" });
const cut = () => Object.assign(new Error("scripted: the connection was cut"), { code: "ECONNRESET" });

export function scripted(real: Database, other: Database): Scripted {
  const plans: { words: string; plan: Plan; times: number }[] = [];
  const counts = new Map<string, number>();
  const later: Promise<unknown>[] = [];

  function planned(sql: string): Plan | undefined {
    for (const [words, count] of counts) if (sql.includes(words)) counts.set(words, count + 1);
    const index = plans.findIndex(({ words }) => sql.includes(words));
    const found = plans[index];
    if (found && --found.times === 0) plans.splice(index, 1);
    return found?.plan;
  }

  const carriedOut =
    (query: Query): Query =>
    async <R extends object>(sql: string, values: readonly unknown[] = []): Promise<R[]> => {
      const plan = planned(sql);
      if (!plan) return query<R>(sql, values);
      if (plan.is === "refused") throw messageByServer(plan.code);
      if (plan.is === "held") await plan.until;
      if (plan.is === "cut, done later") {
        // The server holds its locks before the store hears of the cut.
        await new Promise<void>((underWay) => later.push(doneSlowly(other, [sql, values], plan.ms, underWay)));
        throw cut();
      }
      if (plan.is === "cut, sent later") {
        later.push(
          (typeof plan.when === "number" ? pause(plan.when) : plan.when)
            .then(() => other.query(sql, values))
            .catch(() => undefined),
        );
        throw cut();
      }
      const answer = await query<R>(sql, values);
      if (plan.is === "answered late") await pause(plan.ms);
      if (plan.is === "done, answer lost") throw cut();
      return answer;
    };

  return {
    query: carriedOut(real.query),
    transaction: (work) => real.transaction((query) => work(carriedOut(query))),
    async close() {
      await Promise.allSettled(later);
      await real.close();
    },
    next: (words, plan, times = 1) => void plans.push({ words, plan, times }),
    count(words) {
      const count = counts.get(words) ?? 0;
      counts.set(words, count);
      return count;
    },
    aside: () => Promise.allSettled(later),
  };
}

/** The server holds the locks of the statement meanwhile, as when it waits for its disk. */
const doneSlowly = (
  database: Database,
  [sql, values]: [string, readonly unknown[]],
  ms: number,
  underWay: () => void,
): Promise<unknown> =>
  database
    .transaction(async (query) => {
      await query(sql, values);
      underWay();
      await pause(ms);
    })
    .catch(underWay);
