// Values in layers, held to a map that is copied whole.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Layers } from "../../../src/engine/world/state/layers.ts";

/** Sets these values of a thousand and more, from `first` on; `null` removes. */
interface Bulk {
  first: number;
  many: number;
  value: string | null;
}

const bulk = fc.record<Bulk>({
  first: fc.integer({ min: 0, max: 3_000 }),
  many: fc.integer({ min: 1, max: 2_000 }),
  value: fc.constantFrom("a", "b", null),
});

const set = (layers: Layers<string>, model: Map<string, string>, { first, many, value }: Bulk): void => {
  for (let n = first; n < first + many; n++) {
    if (layers.set(`${n}`, value) !== model.get(`${n}`)) throw new Error(`${n} was another one`);
    if (value === null) model.delete(`${n}`);
    else model.set(`${n}`, value);
  }
};

const same = (layers: Layers<string>, model: Map<string, string>): void => {
  expect(layers.size).toBe(model.size);
  expect([...layers.ids()].sort()).toEqual([...model.keys()].sort());
  expect([...layers.values()].sort()).toEqual([...model.values()].sort());
  for (const n of [0, 1, 999, 2_000, 4_999]) expect(layers.get(`${n}`)).toBe(model.get(`${n}`));
};

describe("layers", () => {
  it("hold what a map would, each value once, copied, settled or frozen at any time", () => {
    const step = fc.record({ bulk, after: fc.constantFrom("copy", "settle", "freeze", "read", "nothing") });
    fc.assert(
      fc.property(fc.array(step, { minLength: 3, maxLength: 16 }), (steps) => {
        let layers = new Layers<string>();
        const model = new Map<string, string>();
        const left: [Layers<string>, Map<string, string>][] = [];
        const frozen: [Iterable<string>, string[]][] = [];
        const read = () => {
          const [values, was] = frozen.shift() ?? [[], []];
          expect([...values].sort()).toEqual(was);
        };
        for (const { bulk, after } of steps) {
          set(layers, model, bulk);
          if (after === "settle") for (const _ of layers.settle());
          else if (after === "freeze") frozen.push([layers.frozen(), [...model.values()].sort()]);
          else if (after === "read") read();
          if (after !== "copy") continue;
          left.push([layers, new Map(model)]);
          layers = layers.copy();
        }
        while (frozen.length > 0) read();
        same(layers, model);
        // What was done to a copy is not seen in what it is a copy of.
        for (const [each, was] of left) same(each, was);
      }),
      { numRuns: 30 },
    );
  });

  it("settle in steps, and leave a few values on top of many where they are", () => {
    const filled = (many: number, above: number) => {
      const layers = new Layers<string>();
      set(layers, new Map(), { first: 0, many, value: "a" });
      const copy = layers.copy();
      for (let n = 0; n < above; n++) copy.set(`above ${n}`, "b");
      return copy;
    };
    expect([...filled(10_000, 2_000).settle()]).toHaveLength(24);
    expect([...filled(10_000, 1_000).settle()]).toEqual([]);
    expect([...filled(1_000, 400).settle()]).toEqual([]);
  });

  it("are read from one map again, once a frozen state of them has been read", () => {
    const layers = new Layers<string>();
    const model = new Map<string, string>();
    set(layers, model, { first: 0, many: 2_000, value: "a" });
    const lookedAt = () => {
      const has = vi.spyOn(Map.prototype, "get");
      layers.get("not there");
      return has.mock.calls.filter(([id]) => id === "not there").length;
    };
    const frozen = layers.frozen();
    set(layers, model, { first: 1_500, many: 1_000, value: "b" });
    set(layers, model, { first: 0, many: 10, value: null });
    expect(lookedAt()).toBe(2);
    expect([...frozen]).toEqual(Array.from({ length: 2_000 }, () => "a"));
    vi.restoreAllMocks();
    expect(lookedAt()).toBe(1);
    vi.restoreAllMocks();
    same(layers, model);
  });
});
