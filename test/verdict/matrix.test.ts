// The checks against programs that are careless in one thing each: the check that is meant finds it, and none speaks against the careful
// one. A sample in the usual run, all of them, in some minutes, with SANDBOX_MATRIX=all.
import { describe, expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import { careful, careless, findingsIn, judged, meantBy } from "./matrix.ts";

const isWhole = process.env.SANDBOX_MATRIX === "all";
const SAMPLE = ["AUTH-04", "BOOK-03", "HOOK-01", "PAGE-03"];
/** What a receiver can be told only by who subscribes for it. */
const SUBSCRIBED = ["HOOK-06"];
const WEBHOOK_URL = "http://127.0.0.1:{port}/hooks";
/** That all codes are treated alike may be meant, so no more is said than that. */
const NOT_DECIDED = ["BOOK-02"];

const tried = careless.filter((path) => isWhole || SAMPLE.includes(meantBy(path)));

describe("The checks", () => {
  it("say nothing against a careful program", async () => {
    const only = checks.filter(({ drills }) => isWhole || !drills);
    expect(findingsIn(await judged(careful, { only }))).toEqual([]);
  });

  it.each(tried.map((path) => [meantBy(path), path]))("find what is careless: %s", async (id, path) => {
    const only = checks.filter((check) => check.id === id);
    const found = await judged(path, { only, ...(SUBSCRIBED.includes(id) ? { webhookUrl: WEBHOOK_URL } : {}) });
    const outcome = NOT_DECIDED.includes(id) ? "undecided" : only[0]?.level === "must" ? /fail|warn/ : "warn";
    expect(findingsIn(found)).toMatchObject([{ id, outcome: expect.stringMatching(outcome) }]);
  });
});
