// One world: its collections, and the one way to change them.
import type { Fact } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Collection } from "./collection.ts";
import { type Collections, emptyCollections, type Name, names } from "./schema.ts";
import type { RecordSerializer } from "./serialized-record.ts";
import { type Change, type OpenTransaction, openTransaction, type Surroundings } from "./transaction.ts";

export interface Outcome<T> {
  result: T;
  facts: readonly Fact[];
}

export interface World {
  readonly id: string;
  readonly collections: Collections;
  /** How many transactions have changed it: what was found out holds until there is another. */
  readonly commits: number;
  /** Runs `work` and keeps what it wrote, state and messages together; on a throw nothing is kept. Never yields. */
  transact<T>(now: Instant, work: (tx: OpenTransaction) => T): Outcome<T>;
  /** Looks without changing anything. */
  read<T>(now: Instant, question: (tx: OpenTransaction) => T): T;
}

export interface WorldHooks extends Surroundings {
  /** Runs inside the transaction, after the work: makes messages of facts. */
  beforeCommit?(tx: OpenTransaction): void;
  /** Keeps the changes; a throw undoes the transaction. */
  keep(world: string, changes: () => readonly Change[]): void;
}

export function makeWorld(id: string, hooks: WorldHooks, collections: Collections = emptyCollections()): World {
  const { tx, begin, hasChanged, writeSequences, changes, undo } = openTransaction(id, collections, hooks);
  let open = false;
  let commits = 0;

  function within<T>(now: Instant, work: () => T): T {
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
    collections,
    get commits() {
      return commits;
    },
    transact: (now, work) =>
      within(now, () => {
        const result = work(tx);
        if (tx.facts.length > 0) hooks.beforeCommit?.(tx);
        writeSequences();
        if (hasChanged()) {
          hooks.keep(id, changes);
          commits++;
        }
        return { result, facts: tx.facts };
      }),
    read: (now, question) =>
      within(now, () => {
        const answer = question(tx);
        if (hasChanged()) throw new Error(`world ${id}: a question changed something`);
        return answer;
      }),
  };
}

/** A copy that shares everything until either changes; in constant time. */
export function copyCollections(collections: Collections): Collections {
  return Object.fromEntries(names.map((name) => [name, collections[name].copy()])) as Collections;
}

/** Every row of a world as one list of changes, for a snapshot, an export or a load. */
export function* rowsOf(collections: Collections, leaveOut: readonly Name[] = []): Generator<Change> {
  for (const name of names) {
    if (leaveOut.includes(name)) continue;
    for (const row of (collections[name] as unknown as Collection<{ id: string }>).all()) yield [name, row.id, row];
  }
}

/** Keeps what was changed as text. */
export function serializeRecords(collections: Collections, changes: readonly Change[], folder: RecordSerializer): void {
  for (const [name, id] of changes) collections[name as Name].fold(id, folder);
}

/** Puts rows in place, past every rule: for loading only. */
export function placeRows(collections: Collections, rows: Iterable<Change>): void {
  for (const [name, id, row] of rows) {
    (collections[name as Name] as unknown as Collection<{ id: string }> | undefined)?.set(id, row);
  }
}
