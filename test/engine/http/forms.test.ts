// No message shows a regular expression: each pattern and each format of the specification has a form in words.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FORMATS, PATTERNS } from "../../../src/engine/domain/kernel/forms.ts";

const spec = fileURLToPath(new URL("../../../spec/", import.meta.url));
/** Stories are read by the player, and the options of a file as those of the command line: both have words of their own. */
const files = (readdirSync(spec, { recursive: true }) as string[]).filter(
  (name) => /\.(yaml|json)$/.test(name) && !/(scenario|config)\.schema/.test(name),
);

function* valuesOf(keyword: string, node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    if (name === keyword && typeof member === "string") yield member;
    else yield* valuesOf(keyword, member);
  }
}

const all = (keyword: string) =>
  new Set(files.flatMap((name) => [...valuesOf(keyword, parse(readFileSync(spec + name, "utf8")))]));

describe("Every", () => {
  it.each([...all("pattern")])("pattern has a description: %s", (pattern) => {
    expect(PATTERNS[pattern]).toBeTruthy();
  });

  it.each([...all("format")])("format has a description: %s", (format) => {
    expect(FORMATS[format]).toBeTruthy();
  });
});

it("The table contains no pattern that is missing in the specification with all its overrides", () => {
  const known = all("pattern");
  expect(Object.keys(PATTERNS).filter((pattern) => !known.has(pattern))).toEqual([]);
});

it.each(Object.entries(PATTERNS))("The example fits the pattern %s", (pattern, form) => {
  const examples = [...form.matchAll(/such as ([^\s,]+)/g)].map(([, example = ""]) => example);
  const whole = examples.filter((example) => example !== "+02:00");
  expect(whole.length).toBeGreaterThan(pattern.startsWith("^whsec") ? -1 : 0);
  for (const example of whole) expect(example).toMatch(new RegExp(pattern, "u"));
});
