// Runs transactions on one world. A transaction is synchronous, so no other work runs in between. Writes are applied immediately, so a rule
// that queries an index sees its own writes, and are undone when an error is thrown.
import type { Fact, FactName } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Repository, Transaction, Walk } from "../../domain/kernel/transaction.ts";
import type { Row } from "../../log/entry.ts";
import type { Collection } from "./collection.ts";
import type { CommittedChange } from "./commit.ts";
import { FIRST_COUNTERS } from "./counters.ts";
import { createId, hashToId } from "./ids.ts";
import { type Collections, type Name, names } from "./schema.ts";

export interface OpenTransaction extends Transaction {
  readonly facts: Fact[];
}

/** The writes of a transaction to one collection, in order. */
type Writes = { -readonly [K in keyof CommittedChange]: CommittedChange[K] }[];

/** Rules read these values in addition to the records of a world. */
export interface Surroundings {
  assumes(id: string): string;
  address(path: string): string;
}

function createRepository(name: Name, collection: Collection<Row>, touched: Writes[]): Repository<Row> {
  const written: Writes = [];
  const set = (id: string, record: Row | null): void => {
    const old = collection.set(id, record);
    if (written.length === 0) touched.push(written);
    // An undo restores `before`. Records are never changed in place, so no copy is needed.
    written.push({ collection: name, id, before: old ?? null, after: record });
  };
  return {
    get: (id) => collection.get(id),
    put: (record) => set(record.id, record),
    remove: (id) => set(id, null),
    where: (index, key) => collection.where(index, key),
    count: (index, key) => collection.count(index, key),
    walk: (index, bounds?: Walk) => collection.walk(index, bounds),
    ids: (index, bounds?: Walk) => collection.ids(index, bounds),
    first: (index) => collection.first(index),
    get size() {
      return collection.size;
    },
  };
}

/** Creates the transaction object of one world, which is reused for every transaction: `begin` opens one, `undo` rolls it back. */
export function createTransaction(world: string, collections: Collections, surroundings: Surroundings) {
  const touched: Writes[] = [];
  const getCollection = (name: Name) => collections[name] as unknown as Collection<Row>;
  const repositories = names.map((name) => [name, createRepository(name, getCollection(name), touched)]);
  const getIdForm = () => (surroundings.assumes("ids") === "uuid" ? "uuid" : "bare");
  const tx = Object.assign(Object.fromEntries(repositories), {
    world,
    now: "" as Instant,
    facts: [] as Fact[],
    trace: undefined as Transaction["trace"],
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
    nextNumber: (sequence: "orders" | "entries" | "deliveries") => takeNumber(sequence),
  }) as { -readonly [K in keyof OpenTransaction]: OpenTransaction[K] };
  const takeNumber = (sequence: "ids" | "orders" | "entries" | "deliveries"): number => {
    const counters = { ...(tx.counters.get("counters") ?? FIRST_COUNTERS) };
    const number = ++counters[sequence];
    tx.counters.put(counters);
    return number;
  };
  // The arrays are reused, because most transactions write to the same few collections.
  const forget = () => {
    for (const written of touched) written.length = 0;
    touched.length = 0;
  };

  return {
    tx: tx as OpenTransaction,
    begin(now: Instant) {
      tx.now = now;
      tx.facts = [];
      tx.trace = undefined;
      forget();
    },
    hasChanged: (): boolean => touched.length > 0,
    /** Lists each written record before and after. The counters are last, because they are the least interesting. */
    changes: (): CommittedChange[] => touched.flatMap((written) => [...mergeWrites(written)]).sort(compareCounters),
    undo() {
      // The order is reversed because the oldest write of a record has its original state.
      for (const written of touched)
        for (const { collection: name, id, before } of written.reverse()) getCollection(name).set(id, before);
      forget();
    },
  };
}

const compareCounters = (one: CommittedChange, other: CommittedChange): number =>
  Number(one.collection === "counters") - Number(other.collection === "counters");

/** Merges the writes of each record: `before` of the first write, `after` of the last. */
function mergeWrites(written: Writes): Iterable<CommittedChange> {
  const found = new Map<string, Writes[number]>();
  for (const write of written) {
    const first = found.get(write.id);
    if (first) first.after = write.after;
    else found.set(write.id, write);
  }
  return found.values();
}
