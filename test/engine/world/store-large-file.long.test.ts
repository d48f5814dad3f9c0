// The records of a large data file, and of a large log, stay in it: they are read from there, whatever takes the file's name, and never as
// something else.
import { closeSync, openSync, readdirSync, readFileSync, statSync, truncateSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  readCached,
  readOnce,
  SerializedRecord,
  type Stored,
} from "../../../src/engine/world/state/serialized-record.ts";
import { openStore, type Row, type StateDump, type Store } from "../../../src/engine/world/store/store.ts";
import { crashed, freshFolder, plain, removeFolders } from "./store-kit.ts";

const MB = 1 << 20;
const rowOf = (at: number): Row => ({ id: `t${at}`, pad: `${at} `.repeat(MB / `${at} `.length) }) as Row;
const rows = Array.from({ length: 70 }, (_, at) => rowOf(at));
const whole: StateDump = [["w", [["things", rows]]]];

describe.skipIf(process.platform === "win32")("A data file of more than 64 MB", () => {
  let file: string;
  const open: Store[] = [];
  beforeAll(async () => {
    file = join(freshFolder(), "data.json");
    const { store } = await openStore(file);
    store.append({ load: "w", rows: rows.map((row) => ["things", row.id, row] as const) });
    await store.close(() => whole);
  });
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())));
  afterAll(removeFolders);

  async function opened() {
    const { store, state } = await openStore(file);
    open.push(store);
    const [[, collections] = []] = state ?? [];
    const [[, stored] = []] = collections ?? [];
    return { store, state: state as StateDump, stored: [...(stored ?? [])] as Stored[] };
  }

  /** Puts a text into the file where it stands, and gives back what stood there. */
  function put(text: string, at: number): string {
    const fd = openSync(file, "r+");
    const before = readFileSync(file).toString("latin1", at, at + text.length);
    writeSync(fd, text, at, "latin1");
    closeSync(fd);
    return before;
  }

  it("takes no memory for its records, and has all of them", async () => {
    const before = process.memoryUsage().arrayBuffers;
    const { state, stored } = await opened();
    expect(stored.map((row) => row instanceof SerializedRecord)).toEqual(rows.map(() => true));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MB);
    expect(plain(state)).toEqual(plain(whole));
    expect(readCached(stored[33] as Stored)).toEqual(rows[33]);
  });

  it("is read on when a compaction has put another file in its place, and while it does", async () => {
    const { store, state, stored } = await opened();
    const { ino } = statSync(file);
    const compacted = store.compact(() => state, "all");
    for (let at = 0; at < 70; at += 1) {
      expect(readCached(stored[69 - at] as Stored)).toEqual(rows[69 - at]);
      await new Promise(setImmediate);
    }
    await compacted;
    expect(statSync(file).ino).not.toBe(ino);
    expect(readOnce(stored[35] as Stored)).toEqual(rows[35]);
    await store.close(() => state);
    const again = await opened();
    expect(plain(again.state)).toEqual(plain(whole));
  });

  it.each([
    ["a letter of a record", "!", -1],
    ["the quotation mark that ends one", " ", 0],
  ])("is never read as something else when another program changes %s", async (_, text, offset) => {
    const { store, state, stored } = await opened();
    expect(readCached(stored[0] as Stored)).toEqual(rows[0]);
    const words = `${file} was changed by another program while it was in use, and a record in it cannot be read any more; kill the sandbox, so that it writes nothing. Put all files back from one copy, or start with \`fresh\` to replace all`;
    // The end of the text of record 40.
    const at = readFileSync(file).indexOf(`"}`, readFileSync(file).indexOf(`"t40":`)) + offset;
    const before = put(text, at);
    try {
      expect(() => stored.map((row) => readOnce(row))).toThrow(words);
      await expect(store.compact(() => state, "all")).rejects.toThrow(words);
      expect(() => readCached(stored[39] as Stored)).toThrow(words);
    } finally {
      put(before, at);
    }
    expect(readOnce(stored[40] as Stored)).toEqual(rows[40]);
  });

  it("says so when it is cut off while it is in use", async () => {
    const { stored } = await opened();
    const last = stored[69] as Stored;
    truncateSync(file, statSync(file).size - 2 * MB);
    expect(() => readCached(last)).toThrow("was changed by another program while it was in use");
    expect(() => readOnce(last)).toThrow("was changed by another program while it was in use");
  });
});

describe.skipIf(process.platform === "win32")("A log of more than 64 MB, after a kill", () => {
  let killed: string;
  const open: Store[] = [];
  beforeAll(async () => {
    const file = join(freshFolder(), "data.json");
    const { store } = await openStore(file);
    for (const row of rows) store.append({ commit: "w", changes: [["things", row.id, row]], grows: 1 });
    store.append({ commit: "w", changes: [["things", "t0", null]], grows: 0 });
    killed = crashed(dirname(file));
    await store.close();
  });
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())));
  afterAll(removeFolders);

  const left: StateDump = [["w", [["things", rows.slice(1)]]]];
  const logsOf = (file: string) =>
    readdirSync(dirname(file))
      .filter((name) => name.includes(".journal."))
      .map((name) => [name, statSync(join(dirname(file), name)).size > MB]);
  async function opened(file: string) {
    const { store, state, warnings } = await openStore(file);
    open.push(store);
    const [[, collections] = []] = state ?? [];
    const [[, stored] = []] = collections ?? [];
    return { store, state: state as StateDump, stored: [...(stored ?? [])] as Stored[], warnings };
  }

  it("takes no memory for its records, and has all of them", async () => {
    const before = process.memoryUsage().arrayBuffers;
    const { state, stored, warnings } = await opened(crashed(dirname(killed)));
    expect(stored.map((row) => row instanceof SerializedRecord)).toEqual(rows.slice(1).map(() => true));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MB);
    expect(plain(state)).toEqual(plain(left));
    expect(warnings).toEqual([]);
  });

  it("is written to no more: what comes next is in the next log, and all is there after another kill", async () => {
    const file = crashed(dirname(killed));
    const { store, stored } = await opened(file);
    store.append({ commit: "w", changes: [["things", "new", { id: "new" }]], grows: 1 });
    expect(readCached(stored[33] as Stored)).toEqual(rows[34]);
    expect(logsOf(file)).toEqual([
      ["data.json.journal.1", true],
      ["data.json.journal.2", false],
    ]);
    const again = crashed(dirname(file));
    const { store: other, state, warnings } = await opened(again);
    const all: StateDump = [["w", [["things", [...rows.slice(1), { id: "new" }]]]]];
    expect(plain(state)).toEqual(plain(all));
    expect([warnings, logsOf(again)]).toEqual([[], logsOf(file)]);
    // A compaction removes both, and their records are read on.
    await other.compact(() => state);
    expect(logsOf(again)).toEqual([["data.json.journal.3", false]]);
    expect(plain(state)).toEqual(plain(all));
    await other.close(() => state);
    expect(readdirSync(dirname(again))).toEqual(["data.json"]);
    expect(plain((await opened(again)).state)).toEqual(plain(all));
  });

  it("is never read as something else when another program changes it", async () => {
    const file = crashed(dirname(killed));
    const log = `${file}.journal.1`;
    const { stored } = await opened(file);
    expect(readOnce(stored[0] as Stored)).toEqual(rows[1]);
    truncateSync(log, statSync(log).size - 2 * MB);
    expect(() => readOnce(stored[40] as Stored)).toThrow(
      `${log} was changed by another program while it was in use, and a record in it cannot be read any more`,
    );
  });
});
