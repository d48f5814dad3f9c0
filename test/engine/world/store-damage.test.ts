// Damage is never taken for data: a damaged file is refused by name and place and stays as it is, and only what a crash can
// do, half a line at the very end, is repaired and said.
import { mkdirSync, readFileSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, type Row, StoreError } from "../../../src/engine/world/store/store.ts";
import { extent } from "../../extent.ts";
import { bytesOf, freshFolder, held, type Plain, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

/** Every byte by hand; otherwise some of them, and every line. */
const APART = extent(5, 3, 1);

const row = (id: string): Row => ({ id });
const worlds = (n: number): Plain =>
  n === 0 ? [] : [["w", [["things", Array.from({ length: n }, (_, i) => row(`t${i}`))]]]];

/** Three records in the snapshot, then three more in a journal, one line each. */
async function sample(file = join(freshFolder(), "data.json")) {
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
    for (let at = 0; at < snapshot.length; at += APART) {
      writeFileSync(file, flipped(snapshot, at, (at * 5) % 8));
      expect([at, await outcome(file)]).toEqual([at, "refused"]);
    }
  });

  it("is refused wherever it is cut", async () => {
    const { file, snapshot } = await sample();
    for (let length = 0; length < snapshot.length - 1; length += APART) {
      writeFileSync(file, snapshot.subarray(0, length));
      expect([length, await outcome(file)]).toEqual([length, "refused"]);
    }
  });

  it.each([
    [
      "a newer format",
      (text: string) => text.replace('"format":3', '"format":9'),
      /format 9.*Install the newer version/,
    ],
    ["an unknown format", (text: string) => text.replace('"format":3', '"format":0'), /format 0.*reads formats 1 to 3/],
    [
      "a broken record",
      (text: string) => text.replace('{"id":"t1"}', '{"id":"t1"'),
      /line 5 \(things t1 of world w\) is not JSON/,
    ],
    [
      "a wrong id",
      (text: string) => text.replace('{"id":"t1"}', '{"id":"t9"}'),
      /w\.things\.t1 is not a record with the id t1/,
    ],
    [
      "a record twice",
      (text: string) => text.replace(/"t1"/g, '"t0"'),
      /line 5 \(things t0 of world w\) is there for the second time/,
    ],
    ["an edited record", (text: string) => text.replace('{"id":"t1"}', '{"id":"t1","n":1}'), /edited by hand/],
    ["another document", () => "[]", /it is not a JSON object/],
    ["nothing", () => "", /it is empty/],
  ])("with %s is refused with the place and the way out", async (_, damage, message) => {
    const { file, snapshot } = await sample();
    writeFileSync(file, damage(snapshot.toString()));
    await expect(openStore(file)).rejects.toThrow(message);
    await expect(openStore(file)).rejects.toThrow(/`fresh`/);
    expect(await outcome(file)).toBe("refused");
    const { store, state: retained } = await openStore(file, { fresh: true });
    expect(retained).toBeNull();
    await store.close();
    expect(await outcome(file)).toBeNull();
  });
});

/** What an old copy, an editor or a failing disk may do to one of the files that a killed process has left. */
function* damages(folder: string, step: number): Generator<[what: string, damage: () => void]> {
  for (const [name, text] of bytesOf(folder)) {
    const path = join(folder, name);
    const write = (changed: string) => () => writeFileSync(path, changed, "latin1");
    const bytes = Buffer.from(text, "latin1");
    yield [`${name} is removed`, () => rmSync(path)];
    for (let at = 0; at < bytes.length; at += step) {
      yield [`${name}: a bit flips at ${at}`, write(flipped(bytes, at, (at * 3) % 8).toString("latin1"))];
      yield [`${name}: it is cut at ${at}`, write(text.slice(0, at))];
    }
    const lines = text.split(/(?<=\n)/);
    for (const [at, line] of lines.entries()) {
      yield [`${name}: line ${at + 1} is removed`, write(lines.toSpliced(at, 1).join(""))];
      yield [`${name}: line ${at + 1} is there twice`, write(lines.toSpliced(at, 0, line).join(""))];
      const next = lines[at + 1];
      if (next) yield [`${name}: line ${at + 1} comes later`, write(lines.toSpliced(at, 2, next, line).join(""))];
    }
  }
}

/** A world that none of the tests changes: beside it, a compaction writes only the others. */
const large: Plain[0] = ["large", [["things", [{ id: "t0", pad: "x".repeat(300) } as Row]]]];

/** What a killed process may have left, with the same six records each. */
const LEFT: [what: string, step: number, leave: (file: string) => Promise<unknown>, beside?: Plain][] = [
  ["a snapshot and a journal", 1, sample],
  [
    "two journals, since the second snapshot was not yet written",
    3,
    async (file) => {
      const { store } = await openStore(file);
      const add = (id: string) => store.append({ commit: "w", changes: [["things", id, row(id)]] });
      for (const id of ["t0", "t1", "t2"]) add(id);
      mkdirSync(`${file}.tmp`);
      await expect(store.compact(() => worlds(3))).rejects.toThrow(StoreError);
      rmdirSync(`${file}.tmp`);
      for (const id of ["t3", "t4", "t5"]) add(id);
      await store.close();
    },
  ],
  [
    "a snapshot that a running store has just taken up",
    3,
    async (file) => {
      const { store } = await openStore(file);
      store.append({ commit: "w", changes: [] });
      await store.close(() => worlds(6));
      await (await openStore(file)).store.close();
    },
  ],
  [
    "a data file, two incremental snapshots and a journal",
    1,
    async (file) => {
      const { store } = await openStore(file);
      const state = (n: number): Plain => [large, ["other", [["things", [row("o1")]]]], ...worlds(n)];
      const add = (id: string) => store.append({ commit: "w", changes: [["things", id, row(id)]] });
      store.append({ load: "large", rows: [["things", "t0", large[1][0]![1][0]!]] });
      await store.compact(() => state(0).slice(0, 1));
      store.append({ load: "other", rows: [["things", "o1", row("o1")]] });
      await store.compact(() => state(0));
      for (const id of ["t0", "t1", "t2"]) add(id);
      await store.compact(() => state(3));
      for (const id of ["t3", "t4", "t5"]) add(id);
      await store.close();
      expect(bytesOf(dirname(file)).map(([name]) => name)).toEqual([
        "data.json",
        "data.json.journal.4",
        "data.json.snapshot.3",
        "data.json.snapshot.4",
      ]);
    },
    [large, ["other", [["things", [row("o1")]]]]],
  ],
];

describe.each(LEFT)("damage to %s", (_, step, leave, beside = []) => {
  it("is reported, or nothing is missing, wherever it is", { timeout: 300_000 }, async () => {
    const file = join(freshFolder(), "data.json");
    await leave(file);
    const folder = dirname(file);
    const whole = bytesOf(folder);
    for (const [what, damage] of damages(folder, extent(89, 17 * step, step))) {
      damage();
      const before = bytesOf(folder);
      const message = await opened(file);
      if (typeof message === "string") expect([what, bytesOf(folder)]).toEqual([what, before]);
      else if (message.warnings.length === 0) expect([what, message.kept]).toEqual([what, [...beside, ...worlds(6)]]);
      for (const [name] of bytesOf(folder)) rmSync(join(folder, name));
      for (const [name, bytes] of whole) writeFileSync(join(folder, name), bytes, "latin1");
    }
  });
});

/** What opening says: the data with the warnings, or why it was refused. */
async function opened(file: string): Promise<Awaited<ReturnType<typeof held>> | string> {
  try {
    return await held(file);
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).message).toContain(file);
    return (error as StoreError).message;
  }
}

describe("a damaged journal", () => {
  it("is cut where a crash tore its last record, with a warning", async () => {
    const { file, journal, lines } = await sample();
    const ends = [...lines.matchAll(/\n/g)].map((found) => found.index + 1);
    for (let length = (ends[0] ?? 0) + 1; length < lines.length; length += APART) {
      if (ends.includes(length)) continue;
      writeFileSync(journal, lines.slice(0, length));
      const whole = ends.filter((end) => end <= length);
      const { kept, warnings } = await held(file);
      expect(kept).toEqual(worlds(2 + whole.length));
      const torn = length - (whole.at(-1) ?? 0);
      expect(warnings).toEqual([expect.stringContaining(`${journal} ended in half a line`)]);
      expect(warnings[0]).toContain(`its last ${torn} bytes`);
      expect(readFileSync(journal, "latin1")).toMatch(/\n\.[0-9a-f]{8}$/);
      expect((await held(file)).warnings).toEqual([]);
    }
  });

  it("is reported as cut off where a record ends", async () => {
    const { file, journal, lines } = await sample();
    writeFileSync(
      journal,
      lines
        .split(/(?<=\n)/)
        .slice(0, 3)
        .join(""),
    );
    expect(await held(file)).toEqual({
      kept: worlds(5),
      warnings: [expect.stringContaining(`${journal} was cut off behind record 3`)],
    });
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ["a record too few", (lines) => lines.toSpliced(2, 1), /record 3 is missing, record 4 stands in its place/],
    [
      "a last record that is not as it was",
      (lines) => lines.with(3, lines[3]!.replace("t5", "t6")),
      /record 4 does not/,
    ],
    ["the head of another", (lines) => lines.with(0, lines[0]!.replace(":2", ":3")), /record 1 does not fit/],
  ])("with %s is refused with the record and the way to the rest", async (_, damage, message) => {
    const { file, snapshot, journal, lines } = await sample();
    const damaged = damage(lines.split(/(?<=\n)/));
    writeFileSync(journal, damaged.join(""));
    await expect(openStore(file)).rejects.toThrow(message);
    await expect(openStore(file)).rejects.toThrow(/copy; or keep a copy and change "open":1 to "open":0 .*`fresh`/);
    writeFileSync(file, snapshot.toString().replace('"open":1}', '"open":0}'));
    const { kept, warnings } = await held(file);
    expect(warnings).toEqual([expect.stringMatching(/All that stands before the damage is kept/)]);
    expect(kept?.[0]?.[1][0]?.[1].slice(0, 3)).toEqual(worlds(3)[0]?.[1][0]?.[1]);
    expect(await held(file)).toEqual({ kept, warnings: [] });
  });

  it("of another store is refused, although it has the same name and as many records", async () => {
    const [one, other] = [await sample(), await sample()];
    writeFileSync(one.journal, other.lines);
    await expect(openStore(one.file)).rejects.toThrow(/record 1 does not fit its checksum/);
  });

  it("is refused when it is torn and another one follows, or when one is missing", async () => {
    const { file, snapshot, journal, lines } = await sample();
    writeFileSync(`${file}.journal.3`, lines);
    truncateSync(journal, lines.length - 3);
    await expect(openStore(file)).rejects.toThrow(
      /journal\.2 is damaged: its end is missing, and .*journal\.3 goes on/,
    );
    rmSync(journal);
    await expect(openStore(file)).rejects.toThrow(
      /snapshot\.3 is missing: without it, or .*journal\.2 .*journal\.3 can't be read/,
    );
    rmSync(`${file}.journal.3`);
    await expect(openStore(file)).rejects.toThrow(/journal\.2 is missing. Nothing was changed.*change "open":1/);
    writeFileSync(file, snapshot.toString().replace('"open":1}', '"open":0}'));
    expect(await held(file)).toEqual({ kept: worlds(3), warnings: [] });
    rmSync(file);
    await expect(openStore(file)).rejects.toThrow(/data\.json is missing, but .*journal\.[23] is there/);
  });
});
