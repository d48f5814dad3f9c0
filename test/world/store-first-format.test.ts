// Data files of format 1, as version 0.1.0 wrote them: read as they are, and written anew in today's format when they are opened.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../src/world/store/store.ts";
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
])("A file of format 1 %s is read, and written in ours", async (_, journals, kept) => {
  const file = written(...journals);
  expect(await held(file)).toEqual({ kept, warnings: [] });
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^\{"format":2,"generation":\d,"after":"[0-9a-f]{8}","worlds":\{\n/);
  const generation = JSON.parse(text).generation;
  expect(readdirSync(dirname(file))).toEqual(["data.json", `data.json.journal.${generation}`]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await held(file)).toEqual({ kept, warnings: [] });
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
