// Data files of older formats are read as they are. One of format 1, as version 0.1.0 wrote it, is written in today's format when it is
// opened; one of format 2 at the first compaction, or when it is closed.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../../src/engine/world/store/store.ts";
import { bytesOf, freshFolder, held, type Plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const sum = (text: string): string => crc32(text).toString(16).padStart(8, "0");
const line = (value: object): string => `${sum(JSON.stringify(value))} ${JSON.stringify(value)}\n`;
const add = (id: string): string => line({ commit: "w", changes: [["things", id, { id }]] });
const expected = (...ids: string[]): Plain => [["w", [["things", ids.map((id) => ({ id }))]]]];

/** One record in the snapshot of generation 4, and journals from there on. */
function written(...journals: string[]): string {
  const file = join(freshFolder(), "data.json");
  const text = '{"format":1,"generation":4,"worlds":{\n"w":{\n"things":{\n"t0":{"id":"t0"}\n}\n}\n';
  writeFileSync(file, `${text}},"checksum":"${sum(text)}"}\n`);
  for (const [at, lines] of journals.entries()) writeFileSync(`${file}.journal.${4 + at}`, lines);
  return file;
}

it.each<[string, string[], Plain]>([
  ["alone", [], expected("t0")],
  ["with a journal", [add("t1") + add("t2")], expected("t0", "t1", "t2")],
  ["with two", [add("t1"), add("t2")], expected("t0", "t1", "t2")],
  ["with an empty one", [""], expected("t0")],
  [
    "with a copy of a world, which is removed",
    [line({ clone: "w", as: "w@a" }) + line({ drop: "w@a" })],
    expected("t0"),
  ],
])("A file of format 1 %s is read, and written in ours", async (_, journals, retained) => {
  const file = written(...journals);
  expect(await held(file)).toEqual({ kept: retained, warnings: [] });
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^\{"format":3,"generation":\d,"after":"[0-9a-f]{8}","worlds":\{\n/);
  const generation = JSON.parse(text).generation;
  expect(readdirSync(dirname(file))).toEqual(["data.json", `data.json.journal.${generation}`]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await held(file)).toEqual({ kept: retained, warnings: [] });
});

it("Half a line at the end of its journal is cut off with a warning", async () => {
  const file = written(add("t1") + add("t2").slice(0, 20));
  const { kept, warnings } = await held(file);
  expect([kept, warnings]).toEqual([expected("t0", "t1"), [expect.stringContaining("its last 20 bytes")]]);
  expect((await held(file)).warnings).toEqual([]);
});

it.each<[string, string[], RegExp]>([
  ["is damaged in its middle", [add("t1").replace("t1", "t7") + add("t2")], /record 1 .* cut it to its first 0 bytes/],
  ["is damaged at its end", [add("t1") + add("t2").replace("t2", "t7")], /record 2 does not fit .* first \d\d bytes/],
  ["is torn before another one", [add("t1").slice(0, 20), add("t2")], /journal\.4 is damaged: its end is torn off/],
])("A journal of format 1 that %s is refused", async (_, journals, message) => {
  const file = written(...journals);
  const before = bytesOf(dirname(file));
  await expect(openStore(file)).rejects.toThrow(message);
  expect(bytesOf(dirname(file))).toEqual(before);
});

/** Two worlds in the snapshot of generation 4, and a journal with two records behind it, of a store that was killed. */
function writtenInFormat2(): { file: string; kept: Plain } {
  const file = join(freshFolder(), "data.json");
  const big = { id: "b0", pad: "x".repeat(2000) };
  const text = `{"format":2,"generation":4,"after":"0000000a","worlds":{\n"big":{\n"things":{\n"b0":${JSON.stringify(big)}\n}\n},\n"w":{\n"things":{\n"t0":{"id":"t0"}\n}\n}\n`;
  writeFileSync(file, `${text}},"checksum":"${sum(text)}","open":1}\n`);
  let chained = 10;
  let lines = "";
  for (const [at, json] of ['{"journal":4}', change("t1"), change("t2")].entries()) {
    chained = crc32(`${at + 1} ${json}`, chained);
    lines += `${chained.toString(16).padStart(8, "0")} ${at + 1} ${json}\n`;
  }
  writeFileSync(`${file}.journal.4`, `${lines}.${chained.toString(16).padStart(8, "0")}`);
  return { file, kept: [["big", [["things", [big]]]], ...expected("t0", "t1", "t2")] };
}

const change = (id: string): string => JSON.stringify({ commit: "w", changes: [["things", id, { id }]] });
const formatOf = (file: string): unknown => JSON.parse(readFileSync(file, "utf8")).format;

it("A file of format 2 is read, and stays as it is until all of it is written anew at the first compaction", async () => {
  const { file, kept } = writtenInFormat2();
  expect(await held(file)).toEqual({ kept, warnings: [] });
  expect(formatOf(file)).toBe(2);
  const { store } = await openStore(file);
  await store.compact(() => kept);
  expect(formatOf(file)).toBe(3);
  expect(readdirSync(dirname(file))).toEqual(["data.json", "data.json.journal.5", "data.json.lock"]);
  await store.close();
  expect(await held(file)).toEqual({ kept, warnings: [] });
});

it("A file of format 2 is written anew when it is closed", async () => {
  const { file, kept } = writtenInFormat2();
  const { store } = await openStore(file);
  await store.close(() => kept);
  expect(formatOf(file)).toBe(3);
  expect(await held(file)).toEqual({ kept, warnings: [] });
});
