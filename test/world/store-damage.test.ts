// Damage is never taken for data: a damaged file is refused by name and place and stays as it is, and only what a crash can
// do, half a line at the very end, is repaired and said.
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, type Row, StoreError } from "../../src/world/store.ts";
import { bytesOf, freshFolder, held, type Plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const row = (id: string): Row => ({ id });
const worlds = (n: number): Plain =>
  n === 0 ? [] : [["w", [["things", Array.from({ length: n }, (_, i) => row(`t${i}`))]]]];

/** Three records in the snapshot, then three more in a journal, one line each. */
async function sample(): Promise<{ file: string; snapshot: Buffer; journal: string; lines: string }> {
  const file = join(freshFolder(), "data.json");
  const { store } = await openStore(file);
  const add = (id: string) => store.append({ commit: "w", changes: [["things", id, row(id)]] });
  for (const id of ["t0", "t1", "t2"]) add(id);
  await store.compact(() => worlds(3));
  for (const id of ["t3", "t4", "t5"]) add(id);
  await store.close();
  const journal = `${file}.journal.2`;
  return { file, snapshot: readFileSync(file), journal, lines: readFileSync(journal, "latin1") };
}

/** What opening makes of the files: the data, or a refusal that has touched nothing. */
async function outcome(file: string): Promise<Plain | null | "refused"> {
  const before = bytesOf(dirname(file));
  try {
    return (await held(file)).kept;
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).message).toContain(file);
    expect(bytesOf(dirname(file))).toEqual(before);
    return "refused";
  }
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ (1 << bit);
  return copy;
}

describe("a damaged snapshot", () => {
  it("is refused wherever a bit flips", async () => {
    const { file, snapshot } = await sample();
    for (let at = 0; at < snapshot.length; at += 1) {
      writeFileSync(file, flipped(snapshot, at, (at * 5) % 8));
      expect([at, await outcome(file)]).toEqual([at, "refused"]);
    }
  });

  it("is refused wherever it is cut", async () => {
    const { file, snapshot } = await sample();
    for (let length = 0; length < snapshot.length - 1; length += 1) {
      writeFileSync(file, snapshot.subarray(0, length));
      expect([length, await outcome(file)]).toEqual([length, "refused"]);
    }
  });

  it.each([
    ["an unknown format", (text: string) => text.replace('"format":1', '"format":9'), /says format 9.*reads format 1/],
    ["a broken record", (text: string) => text.replace('{"id":"t1"}', '{"id":"t1"'), /line 5 is not JSON/],
    ["a wrong id", (text: string) => text.replace('{"id":"t1"}', '{"id":"t9"}'), /t1 is not a record with the id t1/],
    ["a record twice", (text: string) => text.replace(/"t1"/g, '"t0"'), /line 5 names t0 for the second time/],
    ["an edited record", (text: string) => text.replace('{"id":"t1"}', '{"id":"t1","n":1}'), /edited by hand/],
    ["another document", () => "[]", /it is not a JSON object/],
    ["nothing", () => "", /it is empty/],
  ])("with %s is refused with the place and the way out", async (_, damage, message) => {
    const { file, snapshot } = await sample();
    writeFileSync(file, damage(snapshot.toString()));
    await expect(openStore(file)).rejects.toThrow(message);
    await expect(openStore(file)).rejects.toThrow(/--fresh/);
    expect(await outcome(file)).toBe("refused");
    const { store, kept } = await openStore(file, { fresh: true });
    expect(kept).toBeNull();
    await store.close();
    expect(await outcome(file)).toBeNull();
  });
});

describe("a damaged journal", () => {
  it("is cut where a crash tore its last line, with a warning", async () => {
    const { file, journal, lines } = await sample();
    const ends = [...lines.matchAll(/\n/g)].map((found) => found.index + 1);
    for (let length = 0; length <= lines.length; length += 1) {
      writeFileSync(journal, lines.slice(0, length));
      const whole = ends.filter((end) => end <= length);
      const torn = length - (whole.at(-1) ?? 0);
      const { kept, warnings } = await held(file);
      expect(kept).toEqual(worlds(3 + whole.length));
      expect(warnings).toHaveLength(torn > 0 ? 1 : 0);
      if (torn > 0) expect(warnings[0]).toContain(`${journal} ended in half a line`);
      expect(readFileSync(journal, "latin1")).toBe(lines.slice(0, length - torn));
    }
  });

  it("is refused wherever a bit flips before its last line, and loses only that line if it flips there", async () => {
    const { file, journal, lines } = await sample();
    const last = lines.lastIndexOf("\n", lines.length - 2) + 1;
    for (let at = 0; at < lines.length; at += 1) {
      writeFileSync(journal, flipped(Buffer.from(lines, "latin1"), at, (at * 3) % 8));
      // A newline lost between the last two lines makes them one, and that one is torn.
      const wanted = at === last - 1 ? worlds(4) : at < last ? "refused" : worlds(5);
      expect([at, await outcome(file)]).toEqual([at, wanted]);
    }
  });

  it("is refused when it is torn and another journal follows, or when one is missing", async () => {
    const { file, journal, lines } = await sample();
    const next = `${file}.journal.3`;
    writeFileSync(next, lines);
    truncateSync(journal, lines.length - 3);
    await expect(openStore(file)).rejects.toThrow(/journal\.2 is damaged at its end/);
    rmSync(journal);
    await expect(openStore(file)).rejects.toThrow(/journal\.2 is missing/);
    rmSync(file);
    await expect(openStore(file)).rejects.toThrow(/data\.json is missing, but its journal/);
  });
});
