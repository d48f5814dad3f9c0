// Whatever is appended, compacted, closed and reopened, in any order: the store holds what a plain model holds.
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import {
  type Change,
  type LogRecord,
  openStore,
  type Row,
  type StateDump,
} from "../../../src/engine/world/store/store.ts";
import { extent } from "../../extent.ts";
import { freshFolder, plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

type Model = Map<string, Map<string, Map<string, Row>>>;

const name = fc.constantFrom("a", "b", "1", "0", "__proto__", 'q"uo\\te', "checksum", "é\u2028\n", "");
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(JSON.parse('{"__proto__":{"x":1}}')), fc.string());
const change: fc.Arbitrary<Change> = fc
  .record({ collection: name, id: name, value: fc.option(value, { freq: 4 }) })
  .map(({ collection, id, value }) => [collection, id, value === null ? null : ({ id, value } as Row)]);
const changes = fc.array(change, { maxLength: 5 });
const line: fc.Arbitrary<LogRecord> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ commit: name, changes }) },
  { weight: 2, arbitrary: fc.record({ clone: name, as: name, changes }, { requiredKeys: ["clone", "as"] }) },
  { weight: 1, arbitrary: fc.record({ load: name, rows: changes }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.oneof(name, fc.array(name, { maxLength: 3 })) }) },
);
type Step = LogRecord | "compact" | "stop" | "crash";
const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 6, arbitrary: line },
    { weight: 1, arbitrary: fc.constantFrom<Step>("compact", "stop", "crash") },
  ),
  { maxLength: 30 },
);

function follow(model: Model, line: LogRecord): void {
  if ("drop" in line) for (const gone of [line.drop].flat()) model.delete(gone);
  else if ("clone" in line) {
    const copy = [...(model.get(line.clone) ?? [])].map(([collection, rows]) => [collection, new Map(rows)] as const);
    if (!model.has(line.clone)) model.set(line.clone, new Map());
    model.set(line.as, new Map(copy));
    for (const [collection, id, row] of line.changes ?? []) put(model.get(line.as)!, collection, id, row);
  } else {
    const target = "load" in line ? line.load : line.commit;
    if ("load" in line || !model.has(target)) model.set(target, new Map());
    for (const [collection, id, row] of "load" in line ? line.rows : line.changes)
      put(model.get(target)!, collection, id, row);
  }
}

function put(world: Map<string, Map<string, Row>>, collection: string, id: string, row: Row | null): void {
  const rows = world.get(collection) ?? new Map<string, Row>();
  world.set(collection, rows);
  if (row) rows.set(id, row);
  else rows.delete(id);
}

function frozen(model: Model): StateDump {
  return [...model].map(([world, collections]) => [
    world,
    [...collections].map(([collection, rows]) => [collection, [...rows.values()]]),
  ]);
}

/** As JSON, which is all that a file can keep (it knows no -0). */
const text = (retained: StateDump | null): string => JSON.stringify(plain(retained) ?? []);

it("holds what a plain model holds, after any steps", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(0, 2000, 20_000), async (all, size) => {
      const file = join(freshFolder(), "data.json");
      const model: Model = new Map();
      let { store } = await openStore(file);
      // Beside a large world, a compaction writes only those that have changed.
      const large: LogRecord = { load: "large", rows: [["things", "t1", { id: "t1", pad: "x".repeat(size) } as Row]] };
      follow(model, large);
      store.append(large);
      const pending: Promise<void>[] = [];
      for (const step of [...all, "crash" as const, "stop" as const]) {
        if (step === "compact") pending.push(store.compact(() => frozen(model)));
        else if (typeof step === "object") {
          follow(model, step);
          store.append(step);
        } else {
          await store.close(step === "stop" ? () => frozen(model) : undefined);
          const opened = await openStore(file);
          expect(text(opened.state)).toBe(text(frozen(model)));
          expect(opened.warnings).toEqual([]);
          store = opened.store;
        }
      }
      await Promise.all(pending);
      await store.close();
    }),
    extent<object>({ numRuns: 40, seed: 1 }, { numRuns: 80 }, { numRuns: 600 }),
  );
});
