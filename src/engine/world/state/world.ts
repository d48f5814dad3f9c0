// Defines a world: its collections, transactions on them, and queries that need no transaction.
import { sortKeys } from "../../domain/company/key.ts";
import type { Fact } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Row } from "../../log/entry.ts";
import type { CommitContent } from "./commit.ts";
import { type Collections, copyCollections, createCollections, type Name, names } from "./schema.ts";
import { createTransaction, type OpenTransaction, type Surroundings } from "./transaction.ts";

export interface Transacted<T> {
  result: T;
  facts: readonly Fact[];
}

/** Queries that work at any time, also while a transaction is open. */
export type Contents = ReturnType<typeof createContents>;

export type World = ReturnType<typeof makeWorld>;

type ReadOnly<C extends keyof Collections> = Pick<Collections[C], "get" | "all">;
type Credentials = { readonly [C in "keys" | "tokens" | "subscriptions"]: ReadOnly<C> };

interface WorldHooks extends Surroundings {
  /** Runs inside the transaction, after the work: writes webhook messages for its facts. */
  beforeCommit?(tx: OpenTransaction): void;
  /** Appends the commit to the log; an error rolls the transaction back. */
  append(commit: CommitContent): void;
}

/** The hooks that a world shares with its copies, whose commits are not stored. */
export type SharedHooks = Omit<WorldHooks, "append">;

export function makeWorld(id: string, hooks: WorldHooks, collections: Collections = createCollections()) {
  const { tx, begin, hasChanged, changes, undo } = createTransaction(id, collections, hooks);
  let open = false;
  let commits = 0;

  function runInTransaction<T>(now: Instant, work: () => T): T {
    if (open) throw new Error(`world ${id}: a transaction inside a transaction`);
    open = true;
    begin(now);
    try {
      return work();
    } catch (reason) {
      undo();
      throw reason;
    } finally {
      open = false;
    }
  }

  return {
    id,
    ...createContents(collections),
    /**
     * The number of transactions that changed the world. A result computed from its records is valid until the next
     * one.
     */
    get commits() {
      return commits;
    },
    /**
     * Runs `work` synchronously and commits its writes, state and messages together. An error rolls all of them back.
     */
    transact: <T>(now: Instant, work: (tx: OpenTransaction) => T): Transacted<T> =>
      runInTransaction(now, () => {
        const result = work(tx);
        if (tx.facts.length > 0) hooks.beforeCommit?.(tx);
        if (hasChanged()) {
          hooks.append({ at: now, facts: tx.facts, changes: changes() });
          commits++;
        }
        return { result, facts: tx.facts };
      }),
    /** Runs a query that writes nothing. */
    read: <T>(now: Instant, question: (tx: OpenTransaction) => T): T =>
      runInTransaction(now, () => {
        const answer = question(tx);
        if (hasChanged()) throw new Error(`world ${id}: a question changed something`);
        return answer;
      }),
  };
}

export function createContents(collections: Collections) {
  return {
    identity: () => collections.identity.get("identity"),
    clock: () => collections.clock.get("clock"),
    counters: () => collections.counters.get("counters"),
    /** Keys, tokens, and the webhook subscriptions with their secrets. */
    credentials: (): Credentials => ({
      keys: { get: (id) => collections.keys.get(id), all: () => sortKeys(collections.keys.all()) },
      tokens: collections.tokens,
      subscriptions: collections.subscriptions,
    }),
    count: (name: Name) => collections[name].size,
    /** The number of records in each collection. */
    counts: () => Object.fromEntries(names.map((name) => [name, collections[name].size])) as Record<Name, number>,
    /** Finds a record and its collection by its id. */
    find(id: string): { collection: Name; record: Row } | undefined {
      const collection = names.find((name) => collections[name].has(id));
      return collection && { collection, record: collections[collection].get(id) as Row };
    },
    /** Copies all records. The copy shares memory with the world until one of the two changes. */
    copy: () => copyCollections(collections),
  };
}
