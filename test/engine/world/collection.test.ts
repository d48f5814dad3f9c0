// A collection answers as a plain list would that is searched from end to end: whatever was put, taken away or copied before, whether
// the record is still text from the file, and whenever an index is first asked.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Walk } from "../../../src/engine/domain/kernel/transaction.ts";
import { Collection, type Indexes } from "../../../src/engine/world/state/collection.ts";
import { RecordSerializer, SerializedRecord } from "../../../src/engine/world/state/serialized-record.ts";

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
const INDEXES: Indexes<Thing> = {
  status: { of: ["status"], keys: KEYS.status! },
  at: { of: ["at"], keys: KEYS.at!, order: "sorted" },
  tags: { of: ["tags"], keys: KEYS.tags!, order: "unsorted" },
};

const serialized = (thing: Thing): SerializedRecord<Thing> => {
  const text = Buffer.from(`,"æ":${JSON.stringify(thing)}`);
  return new SerializedRecord<Thing>(thing.id, text, 6, text.length);
};

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
  { arbitrary: fc.record({ fork: fc.constantFrom("", "copy", "view") }), weight: 1 },
  { arbitrary: fc.constant("fold" as const), weight: 1 },
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
  it("answers as a list searched from end to end would, with records that are text and records that are not", () => {
    const steps = fc.array(step, { maxLength: 60, size: "max" });
    fc.assert(
      fc.property(
        fc.uniqueArray(thing, { selector: (it) => it.id, maxLength: 60, size: "max" }),
        steps,
        (first, rest) => {
          const collection = new Collection(INDEXES);
          collection.fill(first.map(serialized));
          let sides = [{ collection, model: new Map(first.map((it) => [it.id, it])) }];
          for (const todo of rest) {
            const { collection: requested, model } = sides[0]!;
            if (todo === "fold") for (const each of model.keys()) requested.serialize(each);
            else if ("put" in todo) {
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
              const found = requested.find(todo.index, todo.key);
              expect(found === undefined ? [] : once.filter((it) => it.id === found.id)).toEqual(
                once.length === 0 ? [] : [found],
              );
              expect(requested.where(todo.index, todo.key)).toEqual(once);
              expect(requested.count(todo.index, todo.key)).toBe(once.length);
            } else if (todo.fork === "copy" || todo.fork === "view")
              sides = [{ collection: requested[todo.fork](), model: new Map(model) }, ...sides];
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

describe("an index", () => {
  const row = (nth: number): Thing => ({ id: `t${nth}`, status: "a", tags: [] });
  const filled = (retained?: "sorted") => {
    let requested = 0;
    const keys = ({ status }: Thing) => {
      requested++;
      return [status];
    };
    const collection = new Collection<Thing>({
      status: { of: ["status"], keys, ...(retained ? { order: retained } : {}) },
    });
    for (let nth = 0; nth < 100; nth++) collection.set(`t${nth}`, row(nth));
    return { collection, asked: () => requested };
  };

  it("that views ask for is built once, in their original", () => {
    const { collection, asked } = filled();
    for (let nth = 0; nth < 5; nth++) {
      const view = collection.view();
      view.set("t-own", row(-1));
      expect(view.view().where("status", "a")).toHaveLength(101);
    }
    expect(asked()).toBe(100 + 5);
    expect(collection.where("status", "a")).toHaveLength(100);
  });

  it.each([
    ["is let go of when more than half of it, and a thousand, has changed since somebody asked", undefined, 1_001],
    ["that is kept goes on", "sorted", 2_000],
  ] as const)("%s", (_, retained, noted) => {
    const { collection, asked } = filled(retained);
    collection.count("status", "a");
    const before = asked();
    for (let nth = 100; nth < 2_100; nth++) collection.set(`t${nth}`, row(nth));
    expect(asked() - before).toBe(noted);
    expect(collection.count("status", "a")).toBe(2_100);
    // It is told of a few changes again.
    const again = asked();
    for (let nth = 0; nth < 500; nth++) collection.set(`t${nth}`, null);
    for (let nth = 0; nth < 2; nth++) collection.set(`t${nth}`, row(nth));
    expect(asked() - again).toBe(502);
    expect(
      collection
        .where("status", "a")
        .map(({ id }) => id)
        .sort(),
    ).toEqual([0, 1, ...Array.from({ length: 1_600 }, (_, at) => at + 500)].map((nth) => `t${nth}`).sort());
  });

  it("that is kept is there before it is asked for", () => {
    const { collection, asked } = filled("sorted");
    expect(asked()).toBe(100);
    expect(collection.copy().where("status", "a")).toHaveLength(100);
    expect([...new Set(collection.ids("status", { from: "a" }))]).toHaveLength(100);
    expect(asked()).toBe(100);
  });
});

describe("a record that is still text", () => {
  it("tells some of its members as if all of it were read", () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });
    fc.assert(
      fc.property(
        members,
        fc.array(fc.constantFrom("a", "b", "status", "at")),
        fc.jsonValue(),
        (rest, names, value) => {
          const record = { a: value, ...rest, id: "x", at: rest } as unknown as Thing;
          const wanted = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
          const reported = serialized(record).readOnly([...new Set(names)] as never) as unknown as Record<
            string,
            unknown
          >;
          for (const each of names) expect(reported[each]).toEqual(wanted[each]);
        },
      ),
    );
  });

  it("reads as it was laid aside, however long it is and whatever lies around it", () => {
    const serializer = new RecordSerializer();
    const lengths = [3, 400_000, 1, 900_000, 700_000, 2, 5_000_000, 10];
    const records = lengths.map((length, at) => ({ id: `t${at}`, status: "æ€😀"[at % 3]!.repeat(length), tags: [] }));
    const laid = records.map((record) => serializer.serialize(record));
    expect(laid.every((each, at) => each.read().status === records[at]!.status)).toBe(true);
    expect(laid.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
  });

  it("is read whole when it was laid out by another hand", () => {
    const text = Buffer.from('{ "status" : "a", "id": "x" }');
    expect(new SerializedRecord<Thing>("x", text, 0, text.length).readOnly(["status"])).toEqual({
      status: "a",
      id: "x",
    });
  });

  it("finds one among thousands that are text, and reads no other, wherever in a block it stands", () => {
    const read: string[] = [];
    const keys = (it: Thing) => {
      read.push(it.id);
      return it.tags;
    };
    const collection = new Collection<Thing>({ tags: { of: ["tags"], keys } });
    const serializer = new RecordSerializer();
    const things = Array.from({ length: 3000 }, (_, n) => ({ id: `t${n}`, status: `x${n}`, tags: [`${n}`, `ø${n}`] }));
    collection.fill(things.map((it) => serializer.serialize(it)));
    for (const n of [0, 1, 29, 72, 73, 1500, 2999]) {
      for (const key of [`${n}`, `ø${n}`]) expect(collection.find("tags", key)).toEqual(things[n]);
      expect(read.splice(0)).toEqual([`t${n}`, `t${n}`]);
    }
    for (const key of ["t5", "5000", "x5", ""]) expect(collection.find("tags", key)).toBeUndefined();
    // As another member than the one that is asked for: a look decides.
    expect(read).toEqual(["t5", "t5"]);
  });
});
