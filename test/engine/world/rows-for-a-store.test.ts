// The record of a world that is replaced, for a store that writes it some time later: no row is read for it, and what changes afterwards
// is not in it. To read them all would hold up everybody.
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Collections, emptyCollections } from "../../../src/engine/world/state/schema.ts";
import { SerializedRecord } from "../../../src/engine/world/state/serialized-record.ts";
import { openWorlds } from "../../../src/engine/world/state/worlds.ts";
import type { LogRecord, Row, Rows } from "../../../src/engine/world/store/log-records.ts";

const row = (id: string) => ({ id, created_at: "2030-06-01T09:00:00Z" }) as Row;

function withLocations(...ids: string[]): Collections {
  const collections = emptyCollections();
  for (const id of ids) collections.locations.hold(row(id) as never);
  return collections;
}

function opened(stages: boolean) {
  const records: LogRecord[] = [];
  const hooksOf = () => ({ assumes: () => "", address: () => "" });
  const append = (record: () => LogRecord) => void records.push(record());
  return { records, worlds: openWorlds({ hooksOf, append, committed: () => undefined, stages }, null) };
}

const rowsIn = (record: LogRecord | undefined): Rows => (record && "load" in record ? record.rows : []);

describe("The rows of a world that is replaced", () => {
  afterEach(() => vi.restoreAllMocks());

  it("are frozen texts, where the store writes them later", () => {
    const { records, worlds } = opened(false);
    worlds.create("w", withLocations("old"));
    const read = vi.spyOn(SerializedRecord.prototype, "read");
    const world = worlds.replace("w", withLocations("a", "b"));
    const rows = rowsIn(records.at(-1));
    expect(read).not.toHaveBeenCalled();
    expect(rows).toHaveLength(2);

    world.transact("2030-06-01T10:00:00Z", (tx) => tx.locations.put(row("c") as never));
    expect(Array.from(rows, ([name, id, stored]) => [name, id, stored instanceof SerializedRecord])).toEqual([
      ["locations", "a", true],
      ["locations", "b", true],
    ]);
    expect(JSON.parse(JSON.stringify(rows))).toEqual([
      ["locations", "a", row("a")],
      ["locations", "b", row("b")],
    ]);
  });

  it("are texts for a store that has its own copy of the code, as the part for databases", async () => {
    const { records, worlds } = opened(false);
    worlds.create("w", withLocations("a"));
    const apart = "../../../src/engine/world/state/serialized-record.ts?apart";
    const { textOf, SerializedRecord: Other } = (await import(
      apart
    )) as typeof import("../../../src/engine/world/state/serialized-record.ts");
    expect(Other).not.toBe(SerializedRecord);
    const texts = Array.from(rowsIn(records.at(-1)), ([, , stored]) => stored && textOf(stored));
    expect(texts).toEqual([JSON.stringify(row("a"))]);
  });

  it("are a list in a log, as ever", () => {
    const { records, worlds } = opened(true);
    worlds.create("w", withLocations("a"));
    expect(JSON.stringify(records.at(-1))).toBe(JSON.stringify({ load: "w", rows: [["locations", "a", row("a")]] }));
  });
});
