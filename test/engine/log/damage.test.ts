// A damaged file is rejected by its name and the number of the entry, and stays as it is. Only what a crash can do, half a line at the very end
// of the log, is repaired and reported.
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isStoreError } from "../../../src/engine/log/store-error.ts";
import { extent } from "../../extent.ts";
import { bytesOf, newFile, openWorld, type Plain, readFile, things } from "./kit.ts";

/** Every byte by hand; otherwise some of them. */
const APART = extent(5, 3, 1);
const IDS = ["t0", "t1", "t2", "t3", "t4", "t5"];

/** Three records in the snapshot, then three more in the log; the past of all of them is in the log. */
async function leave(file = newFile()) {
  const { add, read, store, close } = await openWorld(file);
  for (const id of IDS.slice(0, 3)) add(id);
  read();
  await store.compact();
  for (const id of IDS.slice(3)) add(id);
  await close(false);
  return {
    file,
    log: `${file}.log`,
    data: readFileSync(file),
    lines: readFileSync(`${file}.log`, "utf8").split(/(?<=\n)/),
  };
}

/** The sentence with which opening is rejected, or what it finds. */
async function open(file: string): Promise<string | { state: Plain | null; warnings: readonly string[] }> {
  const before = bytesOf(dirname(file));
  try {
    return await readFile(file);
  } catch (reason) {
    expect(isStoreError(reason)).toBe(true);
    expect((reason as Error).message).toContain(file);
    expect(bytesOf(dirname(file))).toEqual(before);
    return (reason as Error).message;
  }
}

const omitChecksum = (text: string): string => text.replace(/,"checksum":"\w+"/, "");

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << ((at * 5) % 8));
  return copy;
}

describe("a damaged data file", () => {
  it("is rejected for any flipped bit and any truncation", async () => {
    const { file, data } = await leave();
    for (let at = 0; at < data.length - 1; at += APART) {
      writeFileSync(file, flip(data, at));
      expect([at, await open(file)]).toEqual([at, expect.any(String)]);
      writeFileSync(file, data.subarray(0, at));
      expect([at, await open(file)]).toEqual([at, expect.any(String)]);
    }
  });

  it.each([
    [
      "a newer format",
      (text: string) => text.replace('"format":4', '"format":9'),
      /its format is 9, and this version reads 4\. Use the version that wrote it/,
    ],
    [
      "an older format",
      (text: string) => text.replace('"format":4', '"format":2'),
      /Start and stop it once with 0\.2\.0/,
    ],
    ["an unknown format", (text: string) => text.replace('"format":4', '"format":0'), /its format is 0/],
    ["a broken record", (text: string) => text.replace('{"id":"t1"}', '{"id":"t1"'), /can't be read: .*JSON.*position/],
    [
      "a wrong id",
      (text: string) => omitChecksum(text.replace('{"id":"t1"}', '{"id":"t9"}')),
      /w\.resources\.t1 is not a record with the id t1/,
    ],
    [
      "an empty record",
      (text: string) => omitChecksum(text.replace('{"id":"t1"}', "null")),
      /w\.resources\.t1 is not a record with the id t1/,
    ],
    [
      "a record twice",
      (text: string) => omitChecksum(text.replaceAll('"t1"', '"t0"')),
      /worlds\.w\.resources\.t0 is in it twice/,
    ],
    ["an unknown field", (text: string) => omitChecksum(text).replace('"seq"', '"x":1,"seq"'), /an unknown field x/],
    [
      "an edited record",
      (text: string) => text.replace('{"id":"t1"}', '{"id":"t1","n":1}'),
      /does not match its checksum\. If you edited it, remove/,
    ],
    ["another document", () => "[]", /it is not a JSON object/],
    ["nothing", () => "", /it is empty/],
  ])("with %s is rejected with the reason, and `fresh` replaces it", async (_, damage, message) => {
    const { file, data } = await leave();
    writeFileSync(file, damage(data.toString()));
    expect(await open(file)).toMatch(message);
    const { state, close } = await openWorld(file, { fresh: true });
    expect(state).toBeNull();
    await close();
    expect(things((await readFile(file)).state)).toEqual([]);
  });
});

describe("a damaged log", () => {
  it("is rejected with the entry for any flipped bit inside", async () => {
    const { file, log, lines } = await leave();
    const bytes = Buffer.from(lines.join(""));
    // A flipped line feed at the end looks like half a line.
    for (let at = 0; at < bytes.length - 1; at += APART) {
      writeFileSync(log, flip(bytes, at));
      expect([at, await open(file)]).toEqual([at, expect.stringMatching(/\.log is damaged: /)]);
    }
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ["a line too few", (lines) => lines.toSpliced(3, 1), /entry 4 is missing, entry 5 is in its place/],
    ["a line twice", (lines) => lines.toSpliced(3, 0, lines[3] ?? ""), /entry 5 is missing, entry 4 is in its place/],
    [
      "two lines in another order",
      (lines) => [...lines.slice(0, 2), ...lines.slice(2, 4).reverse()],
      /entry 3 is missing/,
    ],
    ["a changed entry", (lines) => lines.map((line) => line.replace("t5", "t6")), /the entry after 7 does not match/],
    ["entries of a newer copy only", (lines) => lines.slice(7), /entry 6 is missing, entry 7 is in its place/],
  ])("with %s is rejected", async (_, damage, message) => {
    const { file, log, lines } = await leave();
    writeFileSync(log, damage(lines).join(""));
    expect(await open(file)).toMatch(message);
  });

  it("is truncated where a crash tore its last line, with a warning, and continues there", async () => {
    const { file, log, lines } = await leave();
    const text = lines.join("");
    const start = text.length - (lines.at(-1) ?? "").length;
    for (let length = start + 1; length < text.length; length += APART) {
      writeFileSync(log, text.slice(0, length));
      const { state, warnings } = await readFile(file);
      expect(things(state)).toEqual(IDS.slice(0, 5));
      expect(warnings).toEqual([expect.stringContaining(`half a line after entry 7`)]);
      expect(readFileSync(log, "utf8")).toBe(text.slice(0, start));
    }
    const { add, close } = await openWorld(file);
    expect(add("new")).toBe(8);
    await close();
  });

  it("can be deleted, which loses its history and nothing else", async () => {
    const { file, log } = await leave();
    const world = await openWorld(file);
    await world.close();
    rmSync(log);
    const { state, warnings, last } = await readFile(file);
    expect([things(state), last]).toEqual([IDS, 8]);
    expect(warnings).toEqual([expect.stringContaining("the history up to entry 8 is gone")]);
  });
});

describe("files of different copies", () => {
  it("are rejected if the data file is older than the log, newer, or missing", async () => {
    const { file, log, data, lines } = await leave();
    const world = await openWorld(file);
    world.add("t6");
    await world.close();
    const newer = readFileSync(file);
    writeFileSync(file, data);
    expect(await open(file)).toMatch(
      /belongs to a newer copy of .*, which held entry 9\. To start from the older copy, delete the log/,
    );
    writeFileSync(file, newer);
    writeFileSync(log, lines.slice(0, 4).join(""));
    expect(await open(file)).toMatch(/ends at entry 4, and .* holds entry 9/);
    rmSync(file);
    expect(await open(file)).toMatch(/is missing, but its log .*\.log exists/);
  });
});

describe("a data file that a person has edited", () => {
  it("is accepted without its checksum, also in another layout, and its history starts again", async () => {
    const { file } = await leave();
    await (await openWorld(file)).close();
    const { checksum: _, ...document } = JSON.parse(readFileSync(file, "utf8"));
    document.worlds.w.resources.t1.note = "edited";
    writeFileSync(file, JSON.stringify(document, null, 2));
    const world = await openWorld(file);
    expect(world.state).toEqual([["w", IDS.map((id) => ({ id, ...(id === "t1" ? { note: "edited" } : {}) }))]]);
    expect(world.log.findFirstPoint("w")).toBe(9);
    await world.close();
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ seq: 9, checksum: expect.any(String) });
    expect((await readFile(file)).warnings).toEqual([]);
  });

  it("is rejected if its log is a link, and the file behind it stays", async () => {
    const { file } = await leave();
    const other = `${file}.other`;
    writeFileSync(other, "half a line");
    rmSync(`${file}.log`);
    symlinkSync(other, `${file}.log`);
    await expect(openWorld(file)).rejects.toThrow(/^Cannot open .*\.log: it is a link/);
    expect(readFileSync(other, "utf8")).toBe("half a line");
  });
});

describe("a file of another program", () => {
  it.each([
    ["notes.txt", "my notes"],
    ["data.json", '{"name":"a project"}'],
    ["openapi.json", '{"openapi":"3.1.0","components":{"schemas":{"At":{"type":"string","format":"date-time"}}}}'],
    ["export.json", '{"format":"experience-sandbox/world","version":1,"collections":{}}'],
  ])("%s is not replaced by `fresh`", async (name, text) => {
    const file = join(dirname(newFile()), name);
    writeFileSync(file, text);
    await expect(openWorld(file, { fresh: true })).rejects.toThrow(/is not a data file of a sandbox/);
    expect(bytesOf(dirname(file))).toEqual([[name, text]]);
  });
});

describe("data of version 0.2.0", () => {
  function write(open: 0 | 1): string {
    const file = newFile();
    const text =
      '{"format":3,"generation":4,"after":"0000000a","worlds":{\n"w":{\n"resources":{\n"t0":{"id":"t0"}\n}\n}\n';
    const checksum = crc32(text).toString(16).padStart(8, "0");
    writeFileSync(file, `${text}},"checksum":"${checksum}","open":${open}}\n`);
    return file;
  }

  it("that was stopped is read, copied and rewritten", async () => {
    const file = write(0);
    const before = readFileSync(file, "utf8");
    const other = `${file}.other`;
    writeFileSync(other, "of somebody else");
    symlinkSync(other, `${file}.0-2-0`);
    const { state, warnings, add, close } = await openWorld(file);
    expect([things(state), warnings, add("t1")]).toEqual([["t0"], [], 1]);
    await close();
    expect(readFileSync(`${file}.0-2-0`, "utf8")).toBe(before);
    expect(readFileSync(other, "utf8")).toBe("of somebody else");
    expect(readFileSync(file, "utf8")).toMatch(/^\{"format":4,"seq":1,/);
  });

  it("that was not stopped is rejected", async () => {
    expect(await open(write(1))).toMatch(
      /not stopped cleanly\. Start and stop it once with 0\.2\.0\. Nothing was changed/,
    );
    const file = write(0);
    writeFileSync(`${file}.journal.4`, "");
    expect(await open(file)).toMatch(/journal\.4 was left by an older version .* Start and stop it once with 0\.2\.0/);
  });
});
