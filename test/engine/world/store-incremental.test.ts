// A compaction writes, and asks for, only the worlds that have changed since they were last written; the others stay in their files.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openStore, type Row, type Store } from "../../../src/engine/world/store/store.ts";
import { freshFolder, held, type Plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

type Kept = Map<string, Row[]>;
const PAD = "x".repeat(500);
const made = (id: string): Row & { pad: string } => ({ id, pad: PAD });
const stateOf = (worlds: Kept): Plain => [...worlds].map(([world, rows]) => [world, [["things", rows]]]);
const files = (file: string) => readdirSync(dirname(file)).filter((name) => !name.endsWith(".lock"));

/** A store of so many worlds with twenty records each, all of them in the data file. */
async function filled(count: number) {
  const file = join(freshFolder(), "data.json");
  const { store } = await openStore(file);
  const worlds: Kept = new Map();
  for (let at = 0; at < count; at += 1) {
    const rows = Array.from({ length: 20 }, (_, n) => made(`t${n}`));
    store.append({ load: `w${at}`, rows: rows.map((row) => ["things", row.id, row]) });
    worlds.set(`w${at}`, rows);
  }
  await store.compact(() => stateOf(worlds));
  return { file, store, worlds };
}

function grow(store: Store, worlds: Kept, world: string, id: string): void {
  store.append({ commit: world, changes: [["things", id, made(id)]] });
  worlds.set(world, [...(worlds.get(world) ?? []), made(id)]);
}

/** Compacts; answers which worlds the state was asked of. */
async function compacted(store: Store, worlds: Kept): Promise<string[] | "all"> {
  let requested: string[] | "all" = "all";
  await store.compact((only) => {
    if (only) requested = [...only];
    return stateOf(worlds).filter(([world]) => only?.has(world) ?? true);
  });
  return requested;
}

it("of 200 worlds of which one has grown writes bytes in proportion to that one", async () => {
  const { file, store, worlds } = await filled(200);
  const whole = statSync(file).size;
  const before = readFileSync(file);
  for (const [at, id] of ["a", "b", "c"].entries()) {
    grow(store, worlds, "w7", id);
    expect(await compacted(store, worlds)).toEqual(["w7"]);
    expect(files(file)).toEqual(["data.json", `data.json.journal.${3 + at}`, `data.json.snapshot.${3 + at}`]);
    // The index names every world.
    expect(statSync(`${file}.snapshot.${3 + at}`).size).toBeLessThan((2 * whole) / 200 + 200 * 20);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
  await store.close();
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("can be read by people: one record per line, and a first line that says where the other worlds are", async () => {
  const { file, store, worlds } = await filled(4);
  grow(store, worlds, "w1", "new");
  await compacted(store, worlds);
  await store.close();
  const { format, generation, index, worlds: found } = JSON.parse(readFileSync(`${file}.snapshot.3`, "utf8"));
  const base = JSON.parse(readFileSync(file, "utf8"));
  expect({ format, generation, index }).toEqual({
    format: 3,
    generation: 3,
    index: {
      files: [[2, base.after]],
      worlds: [
        ["w0", 2],
        ["w1", 3],
        ["w2", 2],
        ["w3", 2],
      ],
    },
  });
  expect(Object.keys(found)).toEqual(["w1"]);
});

it("goes on after a start, and removes no file that still holds a world", async () => {
  const { file, store: first, worlds } = await filled(10);
  let store = first;
  for (const [at, world] of ["w1", "w2", "w1", "w9"].entries()) {
    grow(store, worlds, world, `n${at}`);
    expect(await compacted(store, worlds)).toEqual([world]);
    await store.close();
    const opened = await openStore(file);
    store = opened.store;
  }
  expect(files(file).filter((name) => name.includes("snapshot"))).toEqual([
    "data.json.snapshot.4",
    "data.json.snapshot.5",
    "data.json.snapshot.6",
  ]);
  await store.close();
  expect((await held(file)).kept).toEqual(stateOf(worlds));
});

it("knows nothing of a world that was dropped, and all of its copies", async () => {
  const { file, store, worlds } = await filled(8);
  store.append({ clone: "w3", as: "w3@saved" });
  worlds.set("w3@saved", worlds.get("w3") ?? []);
  store.append({ drop: ["w1", "w3"] });
  for (const gone of ["w1", "w3"]) worlds.delete(gone);
  expect(await compacted(store, worlds)).toEqual(["w3@saved"]);
  store.append({ load: "w1", rows: [["things", "again", made("again")]] });
  worlds.set("w1", [made("again")]);
  expect(await compacted(store, worlds)).toEqual(["w1"]);
  await store.close();
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("writes all worlds into the data file when most have changed, or when the old state outweighs the new", async () => {
  const { file, store, worlds } = await filled(4);
  for (const world of ["w0", "w1", "w2"]) grow(store, worlds, world, "new");
  expect(await compacted(store, worlds)).toBe("all");
  expect(files(file)).toEqual(["data.json", "data.json.journal.3"]);
  store.append({ drop: ["w0", "w1", "w2"] });
  for (const gone of ["w0", "w1", "w2"]) worlds.delete(gone);
  expect(await compacted(store, worlds)).toBe("all");
  await store.close();
  expect((await held(file)).kept).toEqual(stateOf(worlds));
});

it("writes all worlds when that is asked for, and one file is left at the end", async () => {
  const { file, store, worlds } = await filled(4);
  grow(store, worlds, "w1", "new");
  await compacted(store, worlds);
  worlds.set("w2", [made("without a record")]);
  await store.compact(() => stateOf(worlds), "all");
  expect(files(file)).toEqual(["data.json", "data.json.journal.4"]);
  grow(store, worlds, "w1", "newer");
  await compacted(store, worlds);
  await store.close(() => stateOf(worlds));
  expect(files(file)).toEqual(["data.json"]);
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("loses nothing that was appended meanwhile, dropped and made again", async () => {
  const { file, store, worlds } = await filled(6);
  grow(store, worlds, "w1", "new");
  grow(store, worlds, "w2", "new");
  const done = compacted(store, worlds);
  store.append({ drop: "w1" });
  store.append({ load: "w1", rows: [["things", "again", made("again")]] });
  store.append({ drop: "w2" });
  worlds.delete("w1");
  worlds.delete("w2");
  worlds.set("w1", [made("again")]);
  expect(await done).toEqual(["w1", "w2"]);
  expect(await compacted(store, worlds)).toEqual(["w1"]);
  await store.close();
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("fails, and loses nothing, when the state lacks a world that the log has", async () => {
  const { file, store, worlds } = await filled(4);
  store.append({ load: "late", rows: [["things", "t0", made("t0")]] });
  await expect(compacted(store, worlds)).rejects.toThrow(/data\.json.*the log has a world late, and the state has not/);
  await expect(store.compact(() => stateOf(worlds), "all")).rejects.toThrow(/the log has a world late/);
  worlds.set("late", [made("t0")]);
  await store.close();
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("keeps worlds of any name", async () => {
  const { file, store, worlds } = await filled(4);
  for (const name of ["\u2028", "__proto__", "1", 'q"\\\n', ""]) {
    store.append({ load: name, rows: [] });
    worlds.set(name, []);
    await compacted(store, worlds);
  }
  expect(files(file).some((name) => name.includes("snapshot"))).toBe(true);
  await store.close();
  expect((await held(file)).kept?.map(([name]) => name)).toEqual([...worlds.keys()]);
});

it("warns when the data file was edited in vain, since a newer file holds the world", async () => {
  const { file, store, worlds } = await filled(4);
  for (const world of ["w1", "w2"]) {
    grow(store, worlds, world, "new");
    await compacted(store, worlds);
  }
  await store.close();
  writeFileSync(file, readFileSync(file, "utf8").replace(/"checksum":"\w+",/, ""));
  expect(await held(file)).toEqual({
    kept: stateOf(worlds),
    warnings: [expect.stringMatching(/data\.json was changed by another program; .*read from there: w1, w2$/)],
  });
  expect(await held(file)).toEqual({ kept: stateOf(worlds), warnings: [] });
});

it("that has lost one of its files is refused with the name of that file", async () => {
  const { file, store, worlds } = await filled(6);
  for (const world of ["w1", "w2"]) {
    grow(store, worlds, world, "new");
    await compacted(store, worlds);
  }
  await store.close();
  const remark = join(freshFolder(), "aside");
  renameSync(`${file}.snapshot.3`, remark);
  await expect(openStore(file)).rejects.toThrow(/snapshot\.3 is missing, and .*data\.json is not whole without it/);
  renameSync(remark, `${file}.snapshot.3`);
  const other = await filled(6);
  await other.store.close(() => stateOf(other.worlds));
  renameSync(other.file, file);
  await expect(openStore(file)).rejects.toThrow(/data\.json and .*snapshot\.4 do not belong together/);
  rmSync(file);
  await expect(openStore(file)).rejects.toThrow(/data\.json is missing, but .*snapshot\.3 is there/);
});
