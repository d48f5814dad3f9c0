// The store keeps what it was given: across clean stops, crashes, compactions, and in any order of these.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, type Row, type StateDump, StoreError } from "../../../src/engine/world/store/store.ts";
import { freshFolder, held, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const row = (id: string, n: number): Row & { n: number } => ({ id, n });
const newFile = (): string => join(freshFolder(), "data.json");

async function filled(file: string) {
  const { store } = await openStore(file);
  store.append({
    load: "a",
    rows: [
      ["things", "t1", row("t1", 1)],
      ["things", "t2", row("t2", 1)],
    ],
  });
  store.append({ clone: "a", as: "b" });
  store.append({
    commit: "a",
    changes: [
      ["things", "t1", row("t1", 2)],
      ["others", "o1", row("o1", 1)],
    ],
  });
  store.append({ commit: "b", changes: [["things", "t2", null]] });
  store.append({ clone: "b", as: "c" });
  store.append({ drop: "c" });
  return store;
}

const expected: [string, [string, Row[]][]][] = [
  [
    "a",
    [
      ["things", [row("t1", 2), row("t2", 1)]],
      ["others", [row("o1", 1)]],
    ],
  ],
  ["b", [["things", [row("t1", 1)]]]],
];
const view = (): StateDump => expected;

describe("a store", () => {
  it("has nothing at first, and makes its folder", async () => {
    const file = join(freshFolder(), "deep", "er", "data.json");
    const { store, state: retained, warnings } = await openStore(file);
    expect({ kept: retained, warnings }).toEqual({ kept: null, warnings: [] });
    await store.close(() => []);
    expect(readdirSync(dirname(file))).toEqual(["data.json"]);
    expect((await held(file)).kept).toBeNull();
  });

  it("keeps commits, clones, loads and drops when it is not closed at all", async () => {
    const file = newFile();
    const store = await filled(file);
    await store.close();
    expect(await held(file)).toEqual({ kept: expected, warnings: [] });
  });

  it("leaves one plain JSON file when it is closed with a view, which lowdb itself can read", async () => {
    const file = newFile();
    await (await filled(file)).close(view);
    expect(readdirSync(dirname(file))).toEqual(["data.json"]);
    const low = new Low<{ worlds: Record<string, unknown> }>(new JSONFile(file), { worlds: {} });
    await low.read();
    expect(low.data.worlds.b).toEqual({ things: { t1: row("t1", 1) } });
    expect(readFileSync(file, "utf8").split("\n")).toContain('"t2":{"id":"t2","n":1}');
    expect(await held(file)).toEqual({ kept: expected, warnings: [] });
  });

  it("accepts the same document laid out by another tool, and an edited one without its checksum", async () => {
    const file = newFile();
    await (await filled(file)).close(view);
    const document = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(document, null, 2));
    expect((await held(file)).kept).toEqual(expected);
    document.worlds.b.things.t1.n = 7;
    writeFileSync(file, JSON.stringify(document, null, 2));
    await expect(openStore(file)).rejects.toThrow(/take the "checksum" member out/);
    delete document.checksum;
    writeFileSync(file, JSON.stringify(document));
    expect((await held(file)).kept?.[1]).toEqual(["b", [["things", [row("t1", 7)]]]]);
  });

  it("settles all who wait, also while the journal changes under them", async () => {
    const file = newFile();
    const { store } = await openStore(file, { durability: "fsync" });
    const waiting = Array.from({ length: 40 }, (_, i) => {
      store.append({ commit: "w", changes: [["things", `t${i}`, row(`t${i}`, i)]] });
      return store.durable();
    });
    const compacted = store.compact(() => [["w", [["things", Array.from({ length: 40 }, (_, i) => row(`t${i}`, i))]]]]);
    await Promise.all([...waiting, compacted, store.durable()]);
    await store.close();
    expect((await held(file)).kept?.[0]?.[1][0]?.[1]).toHaveLength(40);
  });

  it("starts over with --fresh, whatever the file holds", async () => {
    const file = newFile();
    await (await filled(file)).close();
    const { store, state: retained } = await openStore(file, { fresh: true });
    expect(retained).toBeNull();
    store.append({ load: "new", rows: [] });
    await store.close();
    expect(await held(file)).toEqual({ kept: [["new", []]], warnings: [] });
  });

  it("refuses to write once it is closed", async () => {
    const store = await filled(newFile());
    await store.close();
    expect(() => store.append({ drop: "a" })).toThrow(StoreError);
    await expect(store.compact(view)).rejects.toThrow(/is closed/);
  });

  it("reports a removed folder instead of writing into a deleted file", async () => {
    const file = newFile();
    const store = await filled(file);
    rmSync(dirname(file), { recursive: true });
    expect(() => store.append({ drop: "a" })).toThrow(/was removed while in use/);
    await expect(store.compact(view)).rejects.toThrow(StoreError);
    await expect(store.close(view)).rejects.toThrow(StoreError);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it("reports what is wrong with a path where it can't be created", async () => {
    const file = newFile();
    await (await filled(file)).close(view);
    await expect(openStore(join(file, "below.json"))).rejects.toThrow(/part of the path is a file/);
    await expect(openStore(dirname(file))).rejects.toThrow(/it is a folder/);
  });
});
