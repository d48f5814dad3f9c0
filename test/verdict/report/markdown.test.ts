// The verdict as Markdown: a table of what is not a pass, and text of a program that stays text.
import { expect, it } from "vitest";
import type { Verdict } from "../../../src/verdict/index.ts";
import { reporters, reportVerdict } from "../../../src/verdict/report/index.ts";
import { NO_VERDICT, RESULTS, verdictOf } from "./verdict-for-tests.ts";

const LOOK = { paint: (_: string, text: string) => text, width: 120 };
const written = (verdict: Verdict) => reporters.markdown?.(reportVerdict(verdict), LOOK) ?? "";

it("has a row for each check that neither passed nor is ignored, failures first", () => {
  const rows = written(verdictOf(RESULTS))
    .split("\n")
    .filter((line) => /^\| \S+ (fail|warn|undecided|not|pass)/.test(line));
  expect(rows.map((row) => row.split(" | ")[1])).toEqual(["RETRY-01", "AUTH-02", "HOOK-03", "TIME-01"]);
  expect(rows.every((row) => row.split(" | ").length === 4)).toBe(true);
});

it("shows for a failure the observation, advice and a command to repeat it, and escapes the program's text", () => {
  const text = written(verdictOf(RESULTS));
  expect(text).toContain("<summary>RETRY-01: What RETRY-01 asks for</summary>");
  expect(text).toContain("```sh\nsandbox check --only RETRY-01 --seed 7 -- npm test\n```");
  expect(text).not.toContain("<img");
  expect(text).toContain("Do: Write it otherwise.");
});

it("reports in one line that all checks passed, or why there is no verdict", () => {
  const passed = RESULTS.filter(({ outcome }) => outcome === "pass");
  expect(written(verdictOf(passed))).not.toContain("|");
  expect(written(verdictOf(passed))).toContain("**1 pass.**");
  expect(written(NO_VERDICT)).toContain("**No verdict.** The program fails by itself, with exit code 4.");
});
