// Numbers are given once: through stops and kills, where the file is lost, damaged or can't be written, and among nodes.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { makeNumbers } from "../../../src/engine/app/numbers.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import {
  type NumberBlocks,
  numbersBeside,
  numbersInMemory,
  numbersOfNode,
} from "../../../src/engine/world/store/store.ts";
import { freshFolder, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const NOON = Date.parse("2026-11-23T12:00:00Z");
const newData = () => join(freshFolder(), "world.json");

function createLog(blocks: NumberBlocks) {
  const numbers = makeNumbers(blocks);
  const log = new ActivityLog(1_000_000, numbers.numberAfter);
  log.continueAfter(numbers.start);
  return { log, numbers };
}

async function begin(data: string, { isNew = false, now = NOON } = {}) {
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence.replaceAll(data, "world.json"));
  const blocks = await numbersBeside(data, { isNew, wall: () => now, warn });
  return { ...blocks, warnings };
}

describe("The numbers beside a data file", () => {
  it("begin at 1, go on where a run stopped, and behind all that a killed one had reserved", async () => {
    const data = newData();
    const first = await begin(data, { isNew: true });
    expect(first.begun).toEqual({ first: 1, last: 100_000 });
    expect(readFileSync(`${data}.numbers`, "utf8")).toBe('{"free":100001}\n');
    await first.end(14);
    const second = await begin(data);
    expect(second.begun).toEqual({ first: 15, last: 100_014 });
    expect(await second.next()).toEqual({ first: 100_015, last: 200_014 });
    const third = await begin(data);
    expect(third.begun.first).toBe(200_015);
    expect([first, second, third].flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(readdirSync(join(data, ".."))).toEqual(["world.json.numbers"]);
  });

  it("go on from the clock, without a word, where an older version wrote the data file or it alone was copied", async () => {
    const { begun, warnings } = await begin(newData());
    expect([begun.first, warnings]).toEqual([NOON * 1000, []]);
    expect(String(begun.last)).toMatch(/^\d{16}$/);
  });

  const broken: [what: string, make: (file: string) => void][] = [
    ["empty", (file) => writeFileSync(file, "")],
    ["half", (file) => writeFileSync(file, '{"free":12')],
    ["zero", (file) => writeFileSync(file, '{"free":0}\n')],
    ["below zero", (file) => writeFileSync(file, '{"free":-3}\n')],
    ["no number", (file) => writeFileSync(file, '{"free":"12"}\n')],
    ["too large", (file) => writeFileSync(file, '{"free":9999999999999999}\n')],
    ["long", (file) => writeFileSync(file, '{"free":12}\n'.repeat(100_000))],
    ["a pipe", (file) => execFileSync("mkfifo", [file])],
  ];
  it.each(broken)("are replaced by the clock's where the file is broken: %s", async (_, make) => {
    const data = newData();
    make(`${data}.numbers`);
    const { begun, warnings } = await begin(data, { isNew: true });
    expect(begun.first).toBe(NOON * 1000);
    expect(warnings).toEqual([
      `Cannot read world.json.numbers: it is not what a sandbox wrote there. The numbers of the history go on from one that the clock gives, so that none is given twice`,
    ]);
    expect((await begin(data)).begun.first).toBe(begun.last + 1);
  });

  it("are the clock's as long as the file can't be written", async () => {
    const data = newData();
    mkdirSync(join(`${data}.numbers`, "in the way"), { recursive: true });
    const first = await begin(data, { isNew: true });
    expect([first.begun.first, first.warnings.length]).toEqual([NOON * 1000, 2]);
    expect((await first.next()).first).toBe(first.begun.last + 1);
    await first.end(first.begun.first + 3);
    const second = await begin(data, { now: NOON + 60_000 });
    expect(second.begun.first).toBe((NOON + 60_000) * 1000);
    expect(second.warnings[1]).toMatch(/^Cannot write world\.json\.numbers: /);
  });

  it("are never given twice, whatever happens to runs and to the file", async () => {
    const run = fc.record({
      given: fc.integer({ min: 1, max: 160_000 }),
      end: fc.constantFrom("stop", "kill"),
      file: fc.constantFrom("nothing", "nothing", "lost", "damaged"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 2, maxLength: 6 }), async (runs) => {
        const data = newData();
        let highest = 0;
        let now = NOON;
        for (const [index, { given, end, file }] of runs.entries()) {
          const blocks = await begin(data, { isNew: index === 0, now });
          let { first, last } = blocks.begun;
          expect(first).toBeGreaterThan(highest);
          let left = given;
          for (; last - first + 1 < left; { first, last } = await blocks.next()) {
            left -= last - first + 1;
            highest = last;
          }
          expect(first).toBeGreaterThan(highest);
          highest = first + left - 1;
          // A start alone takes that long.
          now += 100 + Math.ceil(given / 1000);
          if (end === "stop") await blocks.end(highest);
          if (file === "lost") rmSync(`${data}.numbers`);
          if (file === "damaged") writeFileSync(`${data}.numbers`, "}");
        }
      }),
      { numRuns: 12, seed: 3 },
    );
  });
});

describe("The numbers of a run", () => {
  it("go on in the next block, which is reserved in time, and those between are not its own", async () => {
    let requested = 0;
    const blocks = await numbersOfNode(() => Promise.resolve([3, 9, 11][requested++] ?? 0));
    const { log, numbers } = createLog(blocks);
    for (let i = 0; i < 100_000; i++) {
      log.skip();
      if (i % 1000 === 0) await new Promise(setImmediate);
    }
    expect([log.lastSeq, requested]).toEqual([399_999, 2]);
    expect(log.skip()).toBe(900_000);
    const candidates = [299_999, 300_000, 399_999, 400_000, 899_999, 900_000];
    expect(candidates.filter(numbers.isOwn)).toEqual([300_000, 399_999, 900_000]);
  });

  it("stop, rather than to be those of another node, where none can be reserved", async () => {
    let requested = 0;
    const blocks = await numbersOfNode(() =>
      requested++ === 0 ? Promise.resolve(1) : Promise.reject(new Error("gone")),
    );
    const { log } = createLog(blocks);
    for (let i = 0; i < 100_000; i++) {
      log.skip();
      if (i % 1000 === 0) await new Promise(setImmediate);
    }
    expect(requested).toBeGreaterThan(20);
    expect(() => log.skip()).toThrow(/The database does not answer/);
    expect(log.lastSeq).toBe(199_999);
  });

  it("begin at 1 with each run in memory", () => {
    const { log } = createLog(numbersInMemory());
    expect([log.lastSeq, log.skip(), log.skip()]).toEqual([0, 1, 2]);
  });
});
