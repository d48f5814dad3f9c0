// Patterns answer in time, whatever their author wrote, and say what they can't have.
import { expect, test } from "vitest";
import { explainInvalidPattern, matchesPattern } from "../../../src/stories/scenario/match.ts";

test.each([
  ["^x.z$", "xyz", true],
  ["^z", "xyz", false],
  ["email[\\s\\S]*", "an\nemail\nhere", true],
  ["^[0-9a-f]{8}-\\w+$", "0123abcd-x_1", true],
  ["\\u00e6|\\p{Lu}", "æ", true],
  ["København", "i København", true],
  ["(?<year>\\d{4})-\\d\\d", "2030-06", true],
])("%s in %j: %s", (pattern, text, found) => {
  expect(explainInvalidPattern(pattern)).toBeUndefined();
  expect(matchesPattern(pattern, text)).toBe(found);
});

test("a pattern with exponential time in other engines is fast", () => {
  expect(matchesPattern("^(a+)+$", `${"a".repeat(5000)}!`)).toBe(false);
  expect(matchesPattern("^(a|aa)+$", `${"a".repeat(5000)}!`)).toBe(false);
});

test.each([
  ["(?=a)", /lookaround or a back-reference/],
  ["(?<!a)b", /lookaround or a back-reference/],
  ["(a)\\1", /lookaround or a back-reference/],
  ["(?<n>a)\\k<n>", /lookaround or a back-reference/],
  ["[z-a]", /is not a regular expression: invalid character class range/],
  ["*", /is not a regular expression: missing argument to repetition/],
  [7, /a pattern is a text, but this is 7/],
])("%s is rejected", (pattern, message) => {
  expect(explainInvalidPattern(pattern)).toMatch(message);
  expect(matchesPattern(pattern, "aab")).toBe(false);
});

test("an escaped backslash before a digit is no back-reference", () => {
  expect(matchesPattern("a\\\\1", "a\\1")).toBe(true);
});
