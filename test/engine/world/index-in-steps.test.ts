// An index of a large collection that is asked for the first time: who can wait is told, and it is built in steps while the records change.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Collection } from "../../../src/engine/world/state/collection.ts";
import { whenIndexed } from "../../../src/engine/world/state/indexed.ts";
import { MissingIndex, unlessMissing } from "../../../src/engine/world/state/missing-index.ts";

interface Row {
  id: string;
  keys: readonly string[];
}

const MANY = 1_001;
const indexes = { key: { of: ["keys"] as const, keys: ({ keys }: Row) => keys } };

function filled(records: number): Collection<Row> {
  const collection = new Collection<Row>(indexes);
  collection.fill(Array.from({ length: records }, (_, at) => ({ id: `r${at}`, keys: [`k${at % 7}`] })));
  return collection;
}

function missingOf(work: () => unknown): MissingIndex {
  try {
    unlessMissing(work);
  } catch (reason) {
    if (reason instanceof MissingIndex) return reason;
    throw reason;
  }
  throw new Error("no index was missing");
}

/** All that an index says. */
const reported = (collection: Collection<Row>) => [...collection.ids("key")];

describe("An index that is asked for the first time", () => {
  it("is built at once where that is quick, or nobody can wait", () => {
    expect(unlessMissing(() => filled(MANY - 1).count("key", "k0"))).toBe(143);
    expect(filled(MANY).count("key", "k0")).toBe(143);
  });

  it("is one and the same for all who wait, and there once it is built", () => {
    const collection = filled(MANY);
    const [first, second] = [1, 2].map(() => missingOf(() => collection.count("key", "k0")));
    expect(second).toBe(first);
    expect([...(first as MissingIndex).steps]).toHaveLength(MANY);
    expect(unlessMissing(() => collection.count("key", "k0"))).toBe(143);
  });

  it.each([
    ["two who wait", (count: () => number) => Promise.all([1, 2].map(() => whenIndexed(count)))],
    ["who can't wait, and one who does", (count: () => number) => Promise.all([count(), whenIndexed(count)])],
  ])("is built once where it is asked for while it is under way, by %s", async (_, ask) => {
    const read: string[] = [];
    const noted = ({ id, keys }: Row) => {
      read.push(id);
      return keys;
    };
    const collection = new Collection<Row>({ key: { of: ["keys"], keys: noted } });
    collection.fill(filled(MANY).all());
    missingOf(() => collection.count("key", "k0")).steps.next();
    expect(await ask(() => collection.count("key", "k0"))).toEqual([143, 143]);
    expect(read).toEqual(Array.from({ length: MANY }, (_, at) => `r${at}`));
  });

  it("is waited for by work that is async from its first line, as by work that is not", async () => {
    const requested = [filled(MANY), filled(MANY)] as const;
    expect(await whenIndexed(() => requested[0].count("key", "k0"))).toBe(143);
    expect(await whenIndexed(async () => requested[1].count("key", "k0"))).toBe(143);
    const reason = new Error("another reason");
    await expect(whenIndexed(() => Promise.reject(reason))).rejects.toBe(reason);
  });

  it("is no reason to begin anew for ever, where work itself changes so much that it is let go of", async () => {
    const collection = filled(MANY);
    let begun = 0;
    const put = (isThere: boolean) => {
      for (let at = 0; at < 3 * MANY; at++)
        collection.set(`new${at}`, isThere ? { id: `new${at}`, keys: ["k0"] } : null);
    };
    const counted = await whenIndexed(() => {
      begun++;
      put(true);
      try {
        return collection.count("key", "k0");
      } finally {
        // As a transaction does that is broken off.
        put(false);
      }
    });
    expect([counted, begun]).toEqual([143 + 3 * MANY, 11]);
  });

  it("is that of the original, where a view asks", () => {
    const collection = filled(MANY);
    for (const _ of missingOf(() => collection.view().count("key", "k0")).steps);
    expect(unlessMissing(() => [collection.count("key", "k0"), collection.view().count("key", "k0")])).toEqual([
      143, 143,
    ]);
  });

  const change = fc.record({
    after: fc.nat(60),
    kind: fc.constantFrom("put", "remove", "copy"),
    id: fc.nat(MANY + 20).map((at) => `r${at}`),
    keys: fc.uniqueArray(fc.constantFrom("a", "b", "k1", "k2"), { maxLength: 3 }),
  });

  it("says what one says that is built at once, whatever changed meanwhile", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const collection = filled(MANY);
        const copies: Collection<Row>[] = [];
        const steps = missingOf(() => collection.count("key", "a")).steps;
        for (const { after, kind, id, keys } of changes) {
          for (let step = 0; step < after; step++) steps.next();
          if (kind === "copy") copies.push(collection.copy());
          else collection.set(id, kind === "put" ? { id, keys } : null);
        }
        for (const _ of steps);
        const anew = new Collection<Row>(indexes);
        anew.fill(collection.all());
        expect(unlessMissing(() => reported(collection))).toEqual(reported(anew));
      }),
      { numRuns: 60 },
    );
  });
});
