// Compaction folds the journal into the snapshot while the store goes on, and can end at any step without a loss.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, type Row, type StateDump } from "../../../src/engine/world/store/store.ts";
import { isWorthwhile } from "../../../src/engine/world/store/wal-store.ts";
import { bytesOf, crashed, freshFolder, held, plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const newFile = (): string => join(freshFolder(), "data.json");

describe("a compaction", () => {
  it("loses nothing that is appended while it compacts", async () => {
    const file = newFile();
    const { store } = await openStore(file);
    const rows = new Map<string, Row>();
    const add = (id: string) => {
      const made = { id, pad: "x".repeat(1000) };
      rows.set(id, made);
      store.append({ commit: "w", changes: [["things", id, made]] });
    };
    for (let i = 0; i < 5000; i += 1) add(`t${i}`);
    expect(store.due).toBe(true);
    const now = (): StateDump => [["w", [["things", [...rows.values()]]]]];
    let calls = 0;
    const done = store.compact(() => {
      calls += 1;
      return now();
    });
    expect(calls).toBe(1);
    for (let i = 0; i < 50; i += 1) {
      add(`late${i}`);
      await new Promise(setImmediate);
    }
    const second = store.compact(now);
    add("latest");
    await Promise.all([done, second]);
    add("last");
    expect(store.due).toBe(false);
    await store.close();
    expect((await held(file)).kept).toEqual(plain(now()));
  });

  it("is due when two thirds of the log are rows that have changed since, and not while new ones come", async () => {
    const { store } = await openStore(newFile());
    const put = (at: number, grows: number) =>
      store.append({
        commit: "w",
        changes: [["things", `t${at}`, { id: `t${at}`, pad: "x".repeat(1000) } as Row]],
        grows,
      });
    for (let at = 0; at < 5000; at += 1) put(at, 1);
    expect(store.due).toBe(false);
    let changes = 0;
    for (; !store.due; changes += 1) put(changes % 5000, 0);
    expect(changes).toBeGreaterThan(9_900);
    expect(changes).toBeLessThan(10_100);
    await store.close();
  });

  it.each([
    ["is small, whatever it holds", 4, 0, 0, false],
    ["is old by two thirds", 31, 10, 0, true],
    ["is old by two thirds with the snapshot", 16, 10, 15, true],
    ["is old by less", 14, 10, 15, false],
    ["has nothing old", 500, 500, 0, false],
    ["is long, however little of it is said to be old", 513, 500, 0, true],
    ["is long, beside a snapshot that is as well", 900, 1100, 300, false],
    ["is four times as long as the snapshot", 1201, 1500, 300, true],
  ])("is worth it, or not, where the log %s", (_, log, bytes, written, isDue) => {
    const MB = 1 << 20;
    expect(isWorthwhile(log * MB, { bytes: bytes * MB, written: written * MB })).toBe(isDue);
  });

  it("that fails leaves everything kept, and the next one makes up for it", async () => {
    const file = newFile();
    const { store } = await openStore(file);
    const view = (): StateDump => [["w", [["things", [{ id: "t1" }, { id: "t2" }]]]]];
    store.append({ commit: "w", changes: [["things", "t1", { id: "t1" }]] });
    mkdirSync(`${file}.tmp`);
    await expect(store.compact(view)).rejects.toThrow(/Cannot write .*data\.json, it is as it was/);
    store.append({ commit: "w", changes: [["things", "t2", { id: "t2" }]] });
    rmdirSync(`${file}.tmp`);
    expect((await held(crashed(dirname(file)))).kept).toEqual(plain(view()));
    await store.compact(view);
    expect((await held(crashed(dirname(file)))).kept).toEqual(plain(view()));
    await store.close(view);
    expect(bytesOf(dirname(file)).map(([name]) => name)).toEqual(["data.json"]);
  });

  it.each([
    ["with a last snapshot", true],
    ["without one", false],
  ])("is broken off when the store is closed, and nothing is lost: %s", async (_, hasLast) => {
    const file = newFile();
    const { store } = await openStore(file);
    const rows = Array.from({ length: 4000 }, (_, i) => ({ id: `t${i}`, pad: "x".repeat(1000) }));
    for (const made of rows) store.append({ commit: "w", changes: [["things", made.id, made]] });
    let written = 0;
    let closed: Promise<void> | undefined;
    function* closing(): Generator<Row> {
      for (const made of rows) {
        if (++written === 1000) closed = store.close(hasLast ? () => [["w", [["things", rows]]]] : undefined);
        yield made;
      }
    }
    await store.compact(() => [["w", [["things", closing()]]]]);
    await closed;
    expect(written).toBeLessThan(rows.length);
    const names = bytesOf(dirname(file)).map(([name]) => name);
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    if (hasLast) expect(names).toEqual(["data.json"]);
    expect((await held(file)).kept).toEqual(plain([["w", [["things", rows]]]]));
  });

  it("loses nothing in a crash, whichever step it comes at", async () => {
    const file = newFile();
    const folder = dirname(file);
    const { store } = await openStore(file);
    const found: Record<string, string> = {};
    const rows = Array.from({ length: 2000 }, (_, i) => ({ id: `t${i}`, pad: "x".repeat(400) }));
    for (const made of rows) store.append({ commit: "w", changes: [["things", made.id, made]] });
    function* slowly(): Generator<Row> {
      for (const made of rows) {
        if (made === rows[1500]) found["half a snapshot is written"] = crashed(folder);
        yield made;
      }
    }
    found["nothing is done yet"] = crashed(folder);
    const old = readFileSync(`${file}.journal.1`);
    const done = store.compact(() => [["w", [["things", { [Symbol.iterator]: slowly }]]]]);
    found["the journal is a new one"] = crashed(folder);
    await done;
    found["all is done"] = crashed(folder);
    const between = crashed(folder);
    writeFileSync(`${between}.journal.1`, old);
    found["the snapshot is new and the old journal still there"] = between;
    await store.close();
    for (const [step, copy] of Object.entries(found)) {
      expect([step, await held(copy)]).toEqual([step, { kept: [["w", [["things", rows]]]], warnings: [] }]);
      const left = bytesOf(dirname(copy)).map(([name]) => name);
      expect([step, left.filter((name) => name.endsWith(".tmp"))]).toEqual([step, []]);
    }
    expect(bytesOf(dirname(found["half a snapshot is written"]!)).length).toBe(3);
  });
});
