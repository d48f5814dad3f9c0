// The two files and their bound: what a compaction keeps, also when it fails, and what parts of a bulk change leave.
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { expect, it, vi } from "vitest";
import type { Replacement, StoredEntry } from "../../../src/engine/log/entry.ts";
import { newFile, openWorld, readFile, things, toState } from "./kit.ts";

const KIB = 1024;
const idOf = ({ seq }: StoredEntry) => seq;

it("A log over twice the limit is compacted, and retains the latest entries", async () => {
  const file = newFile();
  const { add, store, log, close } = await openWorld(file, { maxBytes: 64 * KIB });
  for (let count = 0; count < 1000; count++) {
    add(String(count % 50), "x".repeat(300));
    if (count % 20 === 0) await new Promise(setImmediate);
  }
  // The first may be one that began before the last entries.
  await store.compact();
  await store.compact();
  expect(statSync(`${file}.log`).size).toBeLessThan(128 * KIB);
  const retained = log.listAfter(0).map(idOf);
  await close();
  const again = await openWorld(file, { maxBytes: 64 * KIB });
  expect(again.log.listAfter(0).map(idOf)).toEqual(retained);
  expect(again.log.lastSeq).toBe(1001);
  await again.close();
});

it("A read that is pending when a compaction begins is in the log once", async () => {
  const file = newFile();
  const { add, read, store, log, close } = await openWorld(file);
  add("a");
  read();
  const compacted = store.compact();
  read();
  await compacted;
  add("b");
  await close(false);
  const again = await openWorld(file);
  expect(again.log.listAfter(0).map(idOf)).toEqual(log.listAfter(0).map(idOf));
  expect(again.log.listAfter(0).map(idOf)).toEqual([1, 2, 3, 4, 5]);
  await again.close();
});

it("A read that is pending at a stop does not prevent the next start from reading the log", async () => {
  const file = newFile();
  const first = await openWorld(file);
  first.add("a");
  first.read();
  await first.close();
  const second = await openWorld(file);
  second.add("b");
  await second.close(false);
  const { state, last } = await readFile(file);
  expect([things(state), last]).toEqual([["a", "b"], 4]);
});

it("A compaction that fails loses nothing, and the next one succeeds", async () => {
  const file = newFile();
  const { add, store, close } = await openWorld(file);
  add("a");
  mkdirSync(`${file}.tmp`);
  await expect(store.compact()).rejects.toThrow(/Cannot write .*, it is unchanged/);
  rmdirSync(`${file}.tmp`);
  add("b");
  await store.compact();
  add("c");
  await close(false);
  expect(things((await readFile(file)).state)).toEqual(["a", "b", "c"]);
});

it("Changes during a compaction are in the new log", async () => {
  const file = newFile();
  const { add, store, close } = await openWorld(file);
  add("a");
  const compacted = store.compact();
  const ids = Array.from({ length: 2000 }, (_, count) => `t${count}`);
  for (const [at, id] of ids.entries()) {
    add(id);
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  await compacted;
  await close(false);
  expect(things((await readFile(file)).state)).toEqual(["a", ...ids]);
});

it("Parts of an incomplete change and snapshots of a removed world are removed, and parts of a complete change remain", async () => {
  const file = newFile();
  const { log, store, rows, close } = await openWorld(file);
  const part = (world: string, id: string, replaced?: object) =>
    log.appendPart({
      world,
      kind: "state",
      id: "",
      at: "",
      wall: 0,
      ...(replaced ? { replaced: replaced as { from: null } } : {}),
      changes: [{ collection: "resources", id, before: null, after: { id } }],
    });
  part("@1", "a", { from: null });
  part("@2", "lost", { from: null });
  store.copyState = () =>
    toState([
      ["w", rows.values()],
      ["@1", [{ id: "a" }]],
      ["@2", [{ id: "lost" }]],
    ]);
  await store.compact();
  part("@1", "b");
  const replace = (world: string, replaced: Replacement) =>
    log.append({ world, kind: "state", id: "import", at: "", wall: 0, replaced });
  replace("w@noon", { from: "w" });
  replace("w", "gone");
  replace("w", { from: "@1" });
  await close(false);
  const { state } = await readFile(file);
  expect([state?.map(([world]) => world), things(state)]).toEqual([["w"], ["a", "b"]]);
});

it("Nothing is written at the stop of a sandbox without changes", async () => {
  const file = newFile();
  const first = await openWorld(file);
  first.add("a");
  await first.close();
  const before = statSync(file).mtimeMs;
  const second = await openWorld(file);
  second.read();
  await second.close();
  expect([statSync(file).mtimeMs, existsSync(`${file}.tmp`)]).toEqual([before, false]);
  expect(readFileSync(`${file}.log`, "utf8")).toContain('"kind":"request"');
});

it("Reads that a full disk rejects are missing in the file, and the next line reports it", async () => {
  const file = newFile();
  const { read, add, store, close } = await openWorld(file);
  add("a");
  const fs = await import("node:fs");
  const write = vi.spyOn(fs.default, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  });
  read();
  await new Promise(setImmediate);
  expect(() => add("b")).toThrow(/the disk is full/);
  expect(store.explainUnusable()).toMatch(/the disk is full/);
  write.mockRestore();
  expect(store.explainUnusable()).toBeUndefined();
  expect(add("c")).toBe(4);
  await close(false);
  expect(readFileSync(`${file}.log`, "utf8")).toContain('"after":2,"seq":4');
  expect(things((await readFile(file)).state)).toEqual(["a", "c"]);
});

it("A stop succeeds if the disk has space for the data but not for the shorter log", async () => {
  const file = newFile();
  const { add, close } = await openWorld(file);
  add("a");
  const fs = await import("node:fs");
  const { openSync } = fs.default;
  const open = vi.spyOn(fs.default, "openSync").mockImplementation((path, flags, mode) => {
    if (flags === "w") throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return openSync(path, flags, mode);
  });
  await close();
  open.mockRestore();
  expect([things((await readFile(file)).state), (await readFile(file)).warnings]).toEqual([["a"], []]);
});
