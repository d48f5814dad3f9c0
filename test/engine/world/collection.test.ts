// A collection returns what a plain list returns that is searched from end to end, in any order of puts, removals, copies and queries.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Walk } from "../../../src/engine/domain/kernel/transaction.ts";
import { Collection, type Indexes } from "../../../src/engine/world/state/collection.ts";

interface Thing {
  id: string;
  status: string;
  at?: string;
  tags: string[];
}

const KEYS: Record<string, (thing: Thing) => string[]> = {
  status: ({ status }) => [status],
  at: ({ at }) => (at === undefined ? [] : [at]),
  tags: ({ tags }) => tags,
};
const INDEXES: Indexes<Thing> = KEYS;

const id = fc.integer({ min: 0, max: 60 }).map((n) => `t${n}`);
/** One key has most of the records. */
const key = fc.constantFrom("a", "a", "a", "aa", "ab", "b", "ø");
/** Most have one of their own, so that the first one changes often. */
const at = fc.oneof(
  key,
  fc.integer({ min: 10, max: 99 }).map((n) => `a${n}`),
);
const thing: fc.Arbitrary<Thing> = fc.record(
  { id, tags: fc.uniqueArray(key, { maxLength: 3 }), at, status: key },
  { requiredKeys: ["id", "status", "tags"] },
);
const name = fc.constantFrom(...Object.keys(KEYS));
const walk: fc.Arbitrary<Walk> = fc.record(
  { from: key, until: key, past: fc.record({ key, id }), descending: fc.boolean() },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { arbitrary: fc.record({ put: thing }), weight: 5 },
  { arbitrary: fc.record({ remove: id }), weight: 2 },
  { arbitrary: fc.record({ index: name, walk }), weight: 3 },
  { arbitrary: fc.record({ index: name, key }), weight: 2 },
  { arbitrary: fc.record({ firstOf: name, isRemoved: fc.boolean() }), weight: 6 },
  { arbitrary: fc.record({ fork: fc.constantFrom("switch", "copy") }), weight: 1 },
);

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function listed(model: Map<string, Thing>, index: string, { from = "", until, past, descending }: Walk): Thing[] {
  const entries = [...model.values()].flatMap((it) => (KEYS[index]?.(it) ?? []).map((k) => ({ k, it })));
  const order = (a: { k: string; it: { id: string } }, b: typeof a) => byText(a.k, b.k) || byText(a.it.id, b.it.id);
  const found = entries.sort(order).filter(({ k }) => k >= from && (until === undefined || k < until));
  const behind = found.filter((each) => {
    const side = past ? order(each, { k: past.key, it: past }) : 1;
    return descending && past ? side < 0 : side > 0;
  });
  return (descending ? behind.reverse() : behind).map(({ it }) => it);
}

describe("a collection", () => {
  it("returns what a list searched from end to end would, filled from a file or empty", () => {
    const steps = fc.array(step, { maxLength: 60, size: "max" });
    fc.assert(
      fc.property(
        fc.uniqueArray(thing, { selector: (it) => it.id, maxLength: 60, size: "max" }),
        steps,
        (first, rest) => {
          const collection = new Collection(INDEXES);
          collection.fill(first);
          let sides = [{ collection, model: new Map(first.map((it) => [it.id, it])) }];
          for (const todo of rest) {
            const { collection: requested, model } = sides[0]!;
            if ("put" in todo) {
              expect(requested.set(todo.put.id, todo.put)).toEqual(model.get(todo.put.id));
              model.set(todo.put.id, todo.put);
            } else if ("remove" in todo) {
              expect(requested.set(todo.remove, null)).toEqual(model.get(todo.remove));
              model.delete(todo.remove);
            } else if ("walk" in todo) {
              expect([...requested.walk(todo.index, todo.walk)]).toEqual(listed(model, todo.index, todo.walk));
            } else if ("firstOf" in todo) {
              const [first] = listed(model, todo.firstOf, {});
              expect(requested.first(todo.firstOf)).toEqual(first);
              if (!first || !todo.isRemoved) continue;
              requested.set(first.id, null);
              model.delete(first.id);
            } else if ("key" in todo) {
              const wanted = listed(model, todo.index, {}).filter((it) => KEYS[todo.index]!(it).includes(todo.key));
              const once = wanted.filter((it, at) => wanted.indexOf(it) === at).sort((a, b) => byText(a.id, b.id));
              expect(requested.where(todo.index, todo.key)).toEqual(once);
              expect(requested.count(todo.index, todo.key)).toBe(once.length);
            } else if (todo.fork === "copy")
              sides = [{ collection: requested.copy(), model: new Map(model) }, ...sides];
            else sides = [...sides.slice(1), sides[0]!];
          }
          for (const { collection: requested, model } of sides) {
            expect(requested.size).toBe(model.size);
            expect([...requested.all()].sort((a, b) => byText(a.id, b.id))).toEqual(
              [...model.values()].sort((a, b) => byText(a.id, b.id)),
            );
            for (const index of Object.keys(KEYS)) expect([...requested.walk(index)]).toEqual(listed(model, index, {}));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a copy", () => {
  it.each([1, 16, 17, 40])("and its original, with %i records under a key, know nothing of each other", (count) => {
    const row = (nth: number | string): Thing => ({ id: `t${nth}`, status: "a", tags: [] });
    const original = new Collection(INDEXES);
    for (let nth = 0; nth < count; nth++) original.set(`t${nth}`, row(nth));
    const ids = (requested: Collection<Thing>) => requested.where("status", "a").map(({ id }) => id);
    const before = ids(original);
    const copy = original.copy();
    original.set("t-new", row("-new"));
    expect([ids(copy), copy.count("status", "a")]).toEqual([before, count]);
    copy.set("t0", null);
    expect([ids(original), original.count("status", "a")]).toEqual([[...before, "t-new"].sort(), count + 1]);
    expect(ids(copy)).toEqual(before.filter((each) => each !== "t0"));
  });
});

describe("a collection filled from a file", () => {
  const broken = { id: "t2", status: "a", tags: undefined } as unknown as Thing;

  it("fails only the query whose index can't read a record", () => {
    const collection = new Collection(INDEXES);
    collection.fill([{ id: "t1", status: "a", tags: ["x"] }, broken]);
    expect(collection.where("status", "a").map(({ id }) => id)).toEqual(["t1", "t2"]);
    expect(() => collection.where("tags", "x")).toThrow(TypeError);
    expect([...collection.all()].map(({ id }) => id)).toEqual(["t1", "t2"]);
  });
});
