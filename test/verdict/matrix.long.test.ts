// The checks against programs with one mistake each: the intended check finds it, and none fails the careful program. The usual run has all
// checks against the careful program and a sample of the others. With SANDBOX_MATRIX=all each check runs against its program, and with
// SANDBOX_MATRIX=full all against all, for an hour; `-t RETRY-01` selects one program. test/corpus has correct programs of other styles.
import { describe, expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import {
  careful,
  careless,
  carelessElsewhere,
  findingsIn,
  getExpectedOutcome,
  inThread,
  isPhpMissing,
  judged,
  meantBy,
  odd,
  oddHabits,
} from "./matrix.ts";

const extent = process.env.SANDBOX_MATRIX ?? "sample";
const SAMPLE = ["AUTH-04", "BOOK-03", "BOOK-04", "HOOK-01", "HOOK-05", "PAGE-03"];
/** Checks that are near to the one that is meant, and must not speak. */
const NEAR: Readonly<Record<string, readonly string[]>> = { "BOOK-04": ["RETRY-01"], "HOOK-05": ["HOOK-03"] };
/** What a receiver can be told only by who subscribes for it. */
const SUBSCRIBED = ["HOOK-06"];
const WEBHOOK_URL = "http://127.0.0.1:{port}/hooks";

/** Those of the odd habits that are near to what a check is about. */
const ODD_IN_BRIEF: Readonly<Record<string, readonly string[]>> = {
  "a fixed port": ["AUTH-01", "BOOK-01", "RETRY-01"],
  "own ids, new in every run": ["RETRY-01"],
  "an empty cursor for the first page": ["PAGE-01"],
  "four looks before it books, and a full event once more": ["BOOK-01"],
  "its booking is found by its own reference": ["TOL-01", "TOL-03"],
  "the last five beside the whole list": ["PAGE-02", "PAGE-03"],
  "scopes in another order each time": ["AUTH-02", "AUTH-05"],
};
const isBrief = extent === "sample";
const called = (ids: readonly string[] = []) => checks.filter(({ id }) => ids.includes(id));

/** All checks against one program wait for most of their runs, side by side. */
const LIMIT_MS = 1_200_000;

const tried = careless.filter((path) => !isBrief || SAMPLE.includes(meantBy(path)));

describe("The checks", () => {
  it(
    "find nothing wrong with a careful program",
    async () => {
      expect(findingsIn(await judged(careful)).map(reported)).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(oddHabits.filter((habit) => extent === "full" || habit in ODD_IN_BRIEF))(
    "find no harm in an unusual habit: %s",
    async (HABIT) => {
      const only = isBrief ? called(ODD_IN_BRIEF[HABIT]) : checks;
      expect(against(await judged(odd, { only, launch: inThread(odd, { HABIT }) }))).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(tried.map((path) => [meantBy(path), path]))(
    "find each careless behaviour, and nothing else: %s",
    async (id, path) => {
      const only = extent === "full" ? checks : called([id, ...(NEAR[id] ?? [])]);
      const found = await judged(path, { only, ...(SUBSCRIBED.includes(id) ? { webhookUrl: WEBHOOK_URL } : {}) });
      expect(findingsIn(found).map(reported)).toEqual([
        expect.stringMatching(new RegExp(`^${id} ${getExpectedOutcome(id)}: `)),
      ]);
    },
    LIMIT_MS,
  );
});

describe.skipIf(isPhpMissing)("In PHP", () => {
  it.each(carelessElsewhere.map((path) => [meantBy(path), path]))(
    "find each careless behaviour: %s",
    async (id, path) => {
      const found = await judged(path, { only: called([id]), webhookUrl: WEBHOOK_URL, isSilent: true });
      expect(findingsIn(found).map(reported)).toEqual([
        expect.stringMatching(new RegExp(`^${id} ${getExpectedOutcome(id)}: `)),
      ]);
    },
    LIMIT_MS,
  );
});

/** In brief each check has to pass, since silence says nothing for a program; otherwise none may fail. */
function against(verdict: Parameters<typeof findingsIn>[0]): string[] {
  const silent = verdict.results.filter(({ outcome }) => outcome === "not-exercised");
  const found = findingsIn(verdict);
  return (isBrief ? [...found, ...silent] : found.filter(({ outcome }) => outcome === "fail")).map(reported);
}

const reported = ({ id, outcome, says }: ReturnType<typeof findingsIn>[number]): string => `${id} ${outcome}: ${says}`;
