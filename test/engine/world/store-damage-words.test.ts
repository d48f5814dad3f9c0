// What is said of each damage to each file of a killed store: which file it is, what is wrong with it, and what to do.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, type Row, type StateDump } from "../../../src/engine/world/store/store.ts";
import { bytesOf, freshFolder, held, removeFolders } from "./store-kit.ts";

afterAll(removeFolders);

const record = (id: string, pad = ""): Row => ({ id, pad }) as Row;

/** A data file, two incremental snapshots and a log, as a kill leaves them; all in this order. */
async function leave(file: string): Promise<void> {
  const { store } = await openStore(file);
  const worlds: Record<string, Row> = {};
  const add = (world: string, row: Row) => {
    store.append({ load: world, rows: [["things", row.id, row]] });
    worlds[world] = row;
  };
  const view = (): StateDump => Object.entries(worlds).map(([world, row]) => [world, [["things", [row]]]]);
  add("large", record("l", "x".repeat(500)));
  await store.compact(view);
  for (const world of ["one", "two"]) {
    add(world, record(world));
    await store.compact(view);
  }
  add("last", record("last"));
  await store.close();
}
const [DATA, FIRST, SECOND, LOG] = ["data.json", "data.json.snapshot.3", "data.json.snapshot.4", "data.json.journal.4"];

let template: string;
let other: string;
beforeAll(async () => {
  template = join(freshFolder(), DATA);
  other = join(freshFolder(), DATA);
  await Promise.all([leave(template), leave(other)]);
  expect(bytesOf(dirname(template)).map(([name]) => name)).toEqual([DATA, LOG, FIRST, SECOND]);
});

const flip = (bytes: Buffer) => {
  const at = Math.floor(bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([(bytes[at] ?? 0) ^ 4]), bytes.subarray(at + 1)]);
};
const DAMAGES: Record<string, (path: string) => void> = {
  "is removed": (path) => rmSync(path),
  "is cut in half": (path) => writeFileSync(path, readFileSync(path).subarray(0, readFileSync(path).length / 2)),
  "is empty": (path) => writeFileSync(path, ""),
  "has a flipped bit": (path) => writeFileSync(path, flip(readFileSync(path))),
  "comes from another sandbox": (path) =>
    writeFileSync(path, readFileSync(path.replace(dirname(path), dirname(other)))),
};

async function message(damaged: (file: string) => void): Promise<string> {
  const file = join(freshFolder(), DATA);
  for (const [name, bytes] of bytesOf(dirname(template))) writeFileSync(join(dirname(file), name), bytes, "latin1");
  damaged(file);
  const before = bytesOf(dirname(file));
  const plainly = (text: string) =>
    text
      .replaceAll(`${dirname(file)}/`, "")
      .replace(/says [0-9a-f]{8} but its records make [0-9a-f]{8}/, "says S but its records make S");
  try {
    const { warnings, kept } = await held(file);
    return `opened with ${kept?.map(([world]) => world).join(", ")}; ${warnings.map(plainly).join("; ")}`;
  } catch (error) {
    expect(bytesOf(dirname(file))).toEqual(before);
    return plainly((error as Error).message);
  }
}

const ALL = "Put all files back from one copy, or start with `fresh` to replace all";
const ONE = "Restore it from a copy, or move it away with the files beside it, or start with `fresh` to replace it";
const misread = (name: string, why: string, advice: string) =>
  `${name} cannot be read: ${why}. It was left as it is. ${advice}`;
const misfit = (one: string, two: string) =>
  `${one} and ${two} do not belong together: one of them is from another copy; nothing was changed. ${ALL}`;
const sum = `its "checksum" says S but its records make S, so it was damaged or edited by hand`;
const edited = 'If you edited it, take the "checksum" member out, and it is accepted as it stands.';
const inLog = (why: string, log = LOG) =>
  `${log} ${why}. Nothing was changed. Put it back from a copy; or keep a copy and change "open":1 to "open":0 at the end of ` +
  `${DATA}, to start with all that stands before the damage; or start with \`fresh\` to replace all`;
const noData = (beside: string) =>
  `${DATA} is missing, but ${beside} is there, which belongs to it; nothing was changed. Put ${DATA} back from a copy, or move all ` +
  `${DATA}.journal.* and ${DATA}.snapshot.* away to begin anew, or start with \`fresh\` to replace all`;
const between = (snapshot: string, log: string) =>
  `${snapshot} is missing: without it, or ${log} from before it was written, ${LOG} can't be read; nothing was changed. Put all files ` +
  `back from one copy (${DATA} may be of an older one), or move ${LOG} away to start with what the others hold, or start with ` +
  "`fresh` to replace all";
const torn = "ended in half a line, as after a crash or a power cut; its last 30 bytes were cut off, all else is kept";

const MESSAGE: Record<string, Record<keyof typeof DAMAGES, string>> = {
  [DATA]: {
    "is removed": noData(FIRST),
    "is cut in half": misread(DATA, "line 4 (things l of world large) is not JSON", ONE),
    "is empty": misread(DATA, "it is empty", ONE),
    "has a flipped bit": misread(DATA, sum, `${edited} ${ONE}`),
    "comes from another sandbox": misfit(DATA, SECOND),
  },
  [FIRST]: {
    "is removed": `${FIRST} is missing, and ${DATA} is not whole without it; nothing was changed. ${ALL}`,
    "is cut in half": misread(FIRST, "line 1 does not begin a data file", ALL),
    "is empty": misread(FIRST, "it is empty", ALL),
    "has a flipped bit": misread(FIRST, sum, ALL),
    "comes from another sandbox": misfit(FIRST, SECOND),
  },
  [SECOND]: {
    "is removed": between(SECOND, `${DATA}.journal.3`),
    "is cut in half": misread(SECOND, "line 1 does not begin a data file", ALL),
    "is empty": misread(SECOND, "it is empty", ALL),
    "has a flipped bit": misread(SECOND, "line 1 does not begin a data file", ALL),
    "comes from another sandbox": misfit(DATA, SECOND),
  },
  [LOG]: {
    "is removed": inLog("is missing"),
    "is cut in half": `opened with large, one, two; ${LOG} ${torn}`,
    "is empty": inLog("is damaged: its beginning is missing"),
    "has a flipped bit": inLog("is damaged: record 2 does not fit its checksum"),
    "comes from another sandbox": inLog("is damaged: record 1 does not fit its checksum"),
  },
};

describe.each(Object.entries(MESSAGE))("Of %s it is said what to do when it", (name, sentences) => {
  it.each(Object.entries(sentences))("%s", async (what, sentence) => {
    expect(await message((file) => DAMAGES[what]?.(join(dirname(file), name)))).toBe(sentence);
  });
});

it.each<[names: string[], sentence: string]>([
  [[FIRST, SECOND], between(SECOND, `${DATA}.journal.2`)],
  [[DATA, LOG], noData(FIRST)],
  [[DATA, FIRST, SECOND], noData(LOG)],
  [[LOG, SECOND], inLog("is missing", `${DATA}.journal.3`)],
])("Without %j it is said which file comes first", async (names, sentence) => {
  expect(
    await message((file) => {
      for (const name of names) rmSync(join(dirname(file), name));
    }),
  ).toBe(sentence);
});
