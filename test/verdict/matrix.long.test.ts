// The checks against programs that are careless in one thing each: the check that is meant finds it, and none speaks against the careful
// one. In the usual run all checks against the careful one, and a sample of the others, a larger one in the long run; with
// SANDBOX_MATRIX=all each check against the program that it is meant for, and with SANDBOX_MATRIX=full all against all, for an hour; then
// `-t RETRY-01` takes one program.
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import {
  careful,
  careless,
  carelessElsewhere,
  findingsIn,
  getExpectedOutcome,
  inThread,
  judged,
  meantBy,
  missingFor,
  odd,
  oddHabits,
  others,
} from "./matrix.ts";

const extent = process.env.SANDBOX_MATRIX ?? "sample";
const SAMPLE = ["AUTH-04", "BOOK-03", "BOOK-04", "HOOK-01", "HOOK-05", "PAGE-03"];
/** Checks that are near to the one that is meant, and must not speak. */
const NEAR: Readonly<Record<string, readonly string[]>> = { "BOOK-04": ["RETRY-01"], "HOOK-05": ["HOOK-03"] };
/** What a receiver can be told only by who subscribes for it. */
const SUBSCRIBED = ["HOOK-06"];
const WEBHOOK_URL = "http://127.0.0.1:{port}/hooks";

/** Careful in other styles and languages: in the usual run so many checks, of what the style is about. */
const IN_BRIEF: Readonly<Record<string, readonly string[]>> = {
  "cron-job.mjs": ["AUTH-04", "PAGE-01", "PAGE-02"],
  "children.mjs": ["AUTH-01", "AUTH-02"],
  "functions.mjs": ["AUTH-02", "AUTH-03", "RETRY-01"],
  "got-options.mjs": ["PAGE-02", "RETRY-03"],
  "interceptors.mjs": ["AUTH-01", "BOOK-03", "RETRY-01"],
  "outbox.mjs": ["RETRY-01", "RETRY-06"],
  "pool.mjs": ["RETRY-03"],
  "queue-receiver.mjs": ["HOOK-01"],
  "receiver.php": ["HOOK-01", "TOL-04"],
  "requests_session.py": ["AUTH-01", "RETRY-02", "RETRY-03"],
  "sdk-classes.mjs": ["AUTH-01", "PAGE-02", "RETRY-01"],
  "shop.py": ["AUTH-01", "HOOK-01", "RETRY-01"],
  "tests-of-a-shop.test.mjs": ["BOOK-01", "RETRY-01"],
  "typed-client.mjs": ["AUTH-01", "BOOK-03"],
};
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

  for (const path of others.filter((path) => !isBrief || basename(path) in IN_BRIEF)) {
    const name = basename(path);
    const missing = missingFor(path);
    it.skipIf(missing)(
      `find nothing wrong with a careful program in another style: ${name}${missing ? `, SKIPPED: ${missing}` : ""}`,
      async () => {
        const only = isBrief ? called(IN_BRIEF[name]) : checks;
        expect(against(await judged(path, { only, webhookUrl: WEBHOOK_URL, isSilent: true }))).toEqual([]);
      },
      LIMIT_MS,
    );
  }

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

describe("In another language", () => {
  for (const path of carelessElsewhere) {
    const missing = missingFor(path);
    it.skipIf(missing)(
      `a check finds a careless program: ${basename(path)}${missing ? `, SKIPPED: ${missing}` : ""}`,
      async () => {
        const id = meantBy(path);
        const found = await judged(path, { only: called([id]), webhookUrl: WEBHOOK_URL, isSilent: true });
        expect(findingsIn(found).map(reported)).toEqual([
          expect.stringMatching(new RegExp(`^${id} ${getExpectedOutcome(id)}: `)),
        ]);
      },
      LIMIT_MS,
    );
  }
});

/** In brief each check has to pass, since silence says nothing for a program; otherwise none may fail. */
function against(verdict: Parameters<typeof findingsIn>[0]): string[] {
  const silent = verdict.results.filter(({ outcome }) => outcome === "not-exercised");
  const found = findingsIn(verdict);
  return (isBrief ? [...found, ...silent] : found.filter(({ outcome }) => outcome === "fail")).map(reported);
}

const reported = ({ id, outcome, says }: ReturnType<typeof findingsIn>[number]): string => `${id} ${outcome}: ${says}`;
