// Runs transactions on one world. A transaction is synchronous, so no other work runs in between. Writes are applied
// immediately, so a rule that queries an index sees its own writes, and are undone when an error is thrown.
import type { Fact, FactName } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { Row } from "../../log/entry.ts";
import type { Collection } from "./collection.ts";
import type { CommittedChange } from "./commit.ts";
import { FIRST_COUNTERS } from "./counters.ts";
import { createId, hashToId } from "./ids.ts";
import { type Collections, type Name, names } from "./schema.ts";

export interface OpenTransaction extends Transaction {
  readonly facts: Fact[];
}

/** The written records of a transaction, by collection and id: each before the first write, and after the last. */
type Writes = Map<Name, Map<string, { -readonly [K in keyof CommittedChange]: CommittedChange[K] }>>;

/** Rules read these values in addition to the records of a world. */
export interface Surroundings {
  assumes(id: string): string;
  address(path: string): string;
}

function watchWrites(name: Name, collection: Collection<Row>, writes: Writes): void {
  collection.onWrite = (id, before, after) => {
    const rows = writes.get(name) ?? new Map();
    writes.set(name, rows);
    const first = rows.get(id);
    // Records are never changed in place, so no copy is needed.
    if (first) first.after = after;
    else rows.set(id, { collection: name, id, before, after });
  };
}

/**
 * Creates the transaction object of one world, which is reused for every transaction: `begin` opens one, `undo` rolls
 * it back.
 */
export function createTransaction(world: string, collections: Collections, surroundings: Surroundings) {
  const writes: Writes = new Map();
  const getCollection = (name: Name) => collections[name] as unknown as Collection<Row>;
  for (const name of names) watchWrites(name, getCollection(name), writes);
  const getIdForm = () => (surroundings.assumes("ids") === "uuid" ? "uuid" : "bare");
  const tx: { -readonly [K in keyof OpenTransaction]: OpenTransaction[K] } = {
    ...collections,
    world,
    now: "",
    facts: [],
    trace: undefined,
    assumes: surroundings.assumes,
    address: surroundings.address,
    // Facts are reported to others only after the commit.
    emit(fact: FactName, id: string) {
      tx.facts.push({ fact, id });
    },
    newId() {
      // Ids depend only on the seed and the sequence, so the same requests create the same ids.
      const id = createId(tx.identity.get("identity")?.seed ?? "", takeNumber("ids"), getIdForm());
      // A pinned subscription stays when the numbers of its world go back.
      return collections.subscriptions.has(id) ? tx.newId() : id;
    },
    idFor: (text: string) => hashToId(text, getIdForm()),
    nextNumber: (sequence) => takeNumber(sequence),
  };
  const takeNumber = (sequence: "ids" | "orders" | "entries" | "deliveries"): number => {
    const counters = { ...(tx.counters.get("counters") ?? FIRST_COUNTERS) };
    const number = ++counters[sequence];
    tx.counters.put(counters);
    return number;
  };
  return {
    tx: tx as OpenTransaction,
    begin(now: Instant) {
      tx.now = now;
      tx.facts = [];
      tx.trace = undefined;
      writes.clear();
    },
    hasChanged: (): boolean => writes.size > 0,
    /** Lists each written record before and after. The counters are last, because they are the least interesting. */
    changes: (): CommittedChange[] => [...writes.values()].flatMap((rows) => [...rows.values()]).sort(compareCounters),
    undo() {
      for (const [name, rows] of writes)
        for (const { id, before } of rows.values()) getCollection(name).set(id, before);
      writes.clear();
    },
  };
}

const compareCounters = (one: CommittedChange, other: CommittedChange): number =>
  Number(one.collection === "counters") - Number(other.collection === "counters");
