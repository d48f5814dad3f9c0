// What was read of a world must not keep the world's text: each record holds the block it stands in, of a megabyte.
import { expect, it } from "vitest";
import { RecordSerializer, readCached } from "../../../src/engine/world/state/serialized-record.ts";
import { collectGarbage } from "../../garbage.ts";

it("a record that was read is given back with its world", async () => {
  const read = (): WeakRef<object> => {
    const record = new RecordSerializer().serialize({ id: "1", name: "Harbour tour" });
    expect(readCached(record)).toEqual({ id: "1", name: "Harbour tour" });
    expect(readCached(record)).toBe(readCached(record));
    return new WeakRef(record);
  };
  const record = read();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(record.deref()).toBeUndefined();
});
