// The page of a verdict: all that was observed, what it was judged with, and nothing that loads or runs.
import { expect, it } from "vitest";
import type { Verdict } from "../../../src/verdict/index.ts";
import { reporters, reportVerdict } from "../../../src/verdict/report/index.ts";
import { NO_VERDICT, RESULTS, verdictOf } from "./verdict-for-tests.ts";

const LOOK = { paint: (_: string, text: string) => text, width: 120 };
const pageOf = (verdict: Verdict) => reporters.html?.(reportVerdict(verdict), LOOK) ?? "";

it("shows every check with its result, evidence and the command that repeats it", () => {
  const page = pageOf(verdictOf(RESULTS));
  for (const { id, says, again, evidence } of RESULTS) {
    expect(page).toContain(`<section id="${id}"`);
    expect(page.toLowerCase()).toContain(`${says}.`.toLowerCase());
    expect(page).toContain(again);
    for (const each of evidence) expect(page).toContain(`<code>${each.id}</code>`);
  }
  for (const name of ["fail", "warn", "undecided", "not exercised", "pass", "ignored"]) expect(page).toContain(name);
});

it("shows the settings of the verdict", () => {
  const page = pageOf(verdictOf(RESULTS));
  for (const text of ["5e".repeat(32), "2b".repeat(32), "version 0.1.0, fixture harbour-tours", "npm test"])
    expect(page).toContain(text);
  expect(page).toContain("Observed by this sandbox on 2030-06-01 at 12:34 UTC.");
});

it("loads nothing, runs nothing, and shows a program's output as text", () => {
  const page = pageOf(verdictOf(RESULTS));
  expect(page).toContain("default-src &#39;none&#39;; style-src &#39;sha256-");
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc="|url\(|https?:/);
  expect(page).toContain("&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#38; | `more`");
});

it("explains why there is no verdict", () => {
  const page = pageOf(NO_VERDICT);
  expect(page).toContain("The program fails by itself, with exit code 4.");
  expect(page).toContain("<pre>boom &#60;b&#62;</pre>");
});
