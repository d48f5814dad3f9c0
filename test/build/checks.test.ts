// What spec/checks.yaml may be: a check with all its words. Each problem is a sentence with its place, and stops the build.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { findCheckProblems } from "../../src/build/tables.mjs";
import { checks, isLinter } from "../../src/verdict/index.ts";

const TABLE = parse(readFileSync("spec/checks.yaml", "utf8")) as Record<string, object>;
const [WORDS] = Object.values(TABLE) as [{ explain: object }];
const problemsOf = (table: object) => findCheckProblems(table, "checks.yaml");

it("Each check has texts and a judge, in the order of the table", () => {
  expect(problemsOf(TABLE)).toEqual([]);
  const words = checks.map((check) => {
    const { id, level, title, done, rule, harm, advice, explain } = check;
    return [
      id,
      { level, title, done, rule, harm, advice, explain },
      typeof (isLinter(check) ? check.lint : check.judge),
    ];
  });
  expect(words).toEqual(Object.entries(TABLE).map(([id, row]) => [id, row, "function"]));
});

it.each<[string, object, string[]]>([
  [
    "an id of another form",
    { auth1: WORDS },
    ['must match pattern "^[A-Z]+-[0-9]{2}$"', "property name must be valid (auth1)"],
  ],
  [
    "a level that is none",
    { "A-01": { ...WORDS, level: "may" } },
    ["A-01.level must be equal to one of the allowed values (must, should)"],
  ],
  ["no harm", { "A-01": { ...WORDS, harm: undefined } }, ["A-01 must have required property 'harm'"]],
  ["no title", { "A-01": { ...WORDS, title: undefined } }, ["A-01 must have required property 'title'"]],
  ["an end that is blank", { "A-01": { ...WORDS, done: "It waits.\n" } }, ['A-01.done must match pattern "\\S$"']],
  ["one word more", { "A-01": { ...WORDS, hint: "x" } }, ["A-01 must NOT have additional properties (hint)"]],
  [
    "no example",
    { "A-01": { ...WORDS, explain: { ...WORDS.explain, code: 7 } } },
    ["A-01.explain.code must be string"],
  ],
  ["no check", {}, ["must NOT have fewer than 1 properties"]],
])("%s is rejected", (_, table, sentences) => {
  expect(problemsOf(JSON.parse(JSON.stringify(table)))).toEqual(sentences.map((each) => `checks.yaml: ${each}.`));
});
