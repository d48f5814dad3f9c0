// The checks of the verdict are those of spec/checks.yaml. The compiler checks the rows of that table.
import { expect, it } from "vitest";
import table from "../../src/contract/generated/checks.ts";
import { checks, isLinter } from "../../src/verdict/index.ts";

it("Each check has texts and a judge, in the order of the table", () => {
  const words = checks.map((check) => {
    const { id, level, title, done, rule, harm, advice, explain } = check;
    const judge = isLinter(check) ? check.lint : check.judge;
    return [id, { level, title, done, rule, harm, advice, explain }, typeof judge];
  });
  expect(words).toEqual(Object.entries(table).map(([id, row]) => [id, row, "function"]));
});
