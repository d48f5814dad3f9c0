// Files that are made to swell or to nest without end are refused in a sentence, soon, whoever reads them.
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FixtureError } from "../../src/engine/fixtures/fixture-error.ts";
import { readFixture } from "../../src/engine/fixtures/read.ts";
import { load } from "../../src/stories/scenario/load.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folder = makeTempFolder();

const nine = (name: string) => `[${Array(9).fill(`*${name}`).join(",")}]`;
const laughs = [
  "a: &a [x,x,x]",
  ..."bcdefghij".split("").map((at, n) => `${at}: &${at} ${nine("abcdefghij"[n] ?? "")}`),
];
const DEEP = 100_000;

describe("Rejects a scenario that", () => {
  it.each([
    ["unfolds by aliases of aliases", laughs.join("\n"), /alias/],
    ["unfolds one alias many times", `title: &a [1]\nx: [${Array(20_000).fill("*a").join(",")}]`, /alias/],
    ["refers to itself", "title: &a [*a]", /holds itself/],
    ["names an alias that nobody is", "title: *nobody", /nobody/],
    ["nests without end", `steps: ${"[".repeat(DEEP)}`, /nested more than 64/],
    ["nests deep", `steps: ${"[".repeat(DEEP)}${"]".repeat(DEEP)}`, /nested more than 64/],
    ["nests lists in one line", `steps: \n  ${"- ".repeat(DEEP)}`, /nested more than 64/],
    ["merges what merges", "a: &a {<<: *a}", /a/],
    ["has a key __proto__", "title: x\n__proto__: {steps: []}", /./],
  ])("%s", (name, text, message) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, text);
    const start = process.cpuUsage();
    const { loaded, unreadable: problems } = load(file);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(30_000);
    expect(loaded).toBeUndefined();
    expect(problems.length).toBeLessThanOrEqual(20);
    expect(problems.join("\n")).toMatch(message);
    expect(problems.every((problem) => problem.startsWith(`${file}:`))).toBe(true);
  });
});

describe("Rejects a fixture that", () => {
  it.each([
    ["nests deep", `{"events": ${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`, /nested more than 64 levels/],
    ["nests without end", `{"events": ${"[".repeat(DEEP)}`, /is not JSON/],
    ["has a key __proto__", `{"events": [], "__proto__": {"polluted": true}}`, /__proto__/],
  ])("%s", (name, text, message) => {
    const own = join(folder, name);
    cpSync("fixtures/empty", own, { recursive: true });
    writeFileSync(join(own, "events.json"), text);
    expect(() => readFixture(own, folder)).toThrow(FixtureError);
    expect(() => readFixture(own, folder)).toThrow(message);
    expect({}).not.toHaveProperty("polluted");
  });
});
