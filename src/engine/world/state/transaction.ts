// One transaction on one world: synchronous, so nothing can come between. Writes are applied at once and undone when
// an error is thrown, so a rule that queries an index sees its own writes.
import type { Fact, FactName } from "../../domain/kernel/facts.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Repository, Transaction, Walk } from "../../domain/kernel/transaction.ts";
import type { Row } from "../../log/entry.ts";
import type { Collection } from "./collection.ts";
import type { Changed } from "./commit.ts";
import { hashToId, idAt } from "./ids.ts";
import { type Collections, type Name, names } from "./schema.ts";
import { FIRST } from "./went-back.ts";

export interface OpenTransaction extends Transaction {
  readonly facts: Fact[];
}

/** The writes of a transaction to one collection, in order. */
type Written = { -readonly [K in keyof Changed]: Changed[K] }[];

/** What rules read besides the records of a world. */
export interface Surroundings {
  assumes(id: string): string;
  address(path: string): string;
}

function repository(name: Name, collection: Collection<Row>, touched: Written[]): Repository<Row> {
  const written: Written = [];
  const set = (id: string, record: Row | null): void => {
    const old = collection.set(id, record);
    // In the order of their first write.
    if (written.length === 0) touched.push(written);
    // The record before, for the way back; records are never changed in place, so no copy is needed.
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

/** The transaction object of one world, reused for every transaction: `begin` opens one, `undo` rolls it back. */
export function openTransaction(world: string, collections: Collections, surroundings: Surroundings) {
  const touched: Written[] = [];
  const collection = (name: Name) => collections[name] as unknown as Collection<Row>;
  const repositories = names.map((name) => [name, repository(name, collection(name), touched)]);
  const form = () => (surroundings.assumes("ids") === "uuid" ? "uuid" : "bare");
  const tx = Object.assign(Object.fromEntries(repositories), {
    world,
    now: "" as Instant,
    facts: [] as Fact[],
    trace: undefined as Transaction["trace"],
    assumes: surroundings.assumes,
    address: surroundings.address,
    // Told to others only after the commit.
    emit(fact: FactName, id: string) {
      tx.facts.push({ fact, id });
    },
    newId() {
      // From seed and number, so that the same requests make the same ids.
      const id = idAt(tx.identity.get("identity")?.seed ?? "", next("ids"), form());
      // A pinned subscription stays when the numbers of its world go back.
      return collections.subscriptions.has(id) ? tx.newId() : id;
    },
    idFor: (text: string) => hashToId(text, form()),
    nextNumber: (sequence: "orders" | "entries" | "deliveries") => next(sequence),
  }) as { -readonly [K in keyof OpenTransaction]: OpenTransaction[K] };
  const next = (sequence: "ids" | "orders" | "entries" | "deliveries"): number => {
    const counters = { ...(tx.counters.get("counters") ?? FIRST) };
    const number = ++counters[sequence];
    tx.counters.put(counters);
    return number;
  };
  // Emptied and not made anew: most transactions write to the same few collections.
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
    /** Each record that was written, as it was before and as it is now; the counters last, since they say the least. */
    changes: (): Changed[] => touched.flatMap((written) => [...onceEach(written)]).sort(compareCounters),
    undo() {
      // Backwards: of two writes to one record the older has the true state.
      for (const written of touched)
        for (const { collection: name, id, before } of written.reverse()) collection(name).set(id, before);
      forget();
    },
  };
}

const compareCounters = (one: Changed, other: Changed): number =>
  Number(one.collection === "counters") - Number(other.collection === "counters");

/** The last write of a record counts, and what was there before the first. */
function onceEach(written: Written): Iterable<Changed> {
  const found = new Map<string, Written[number]>();
  for (const write of written) {
    const first = found.get(write.id);
    if (first) first.after = write.after;
    else found.set(write.id, write);
  }
  return found.values();
}
