// The checks against programs that are careless in one thing each: the check that is meant finds it, and none speaks against the careful
// one. In the usual run all checks against the careful one, and a sample of the others; with SANDBOX_MATRIX=all each check against the
// program that it is meant for, and with SANDBOX_MATRIX=full all against all, for an hour; then `-t RETRY-01` takes one program.
import { describe, expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import { careful, careless, findingsIn, judged, meantBy, receivers } from "./matrix.ts";

const extent = process.env.SANDBOX_MATRIX ?? "sample";
const SAMPLE = ["AUTH-04", "BOOK-03", "HOOK-01", "PAGE-03"];
/** What a receiver can be told only by who subscribes for it. */
const SUBSCRIBED = ["HOOK-06"];
const WEBHOOK_URL = "http://127.0.0.1:{port}/hooks";
/** That all codes are treated alike may be meant, so no more is said than that. */
const NOT_DECIDED = ["BOOK-02"];

/** All checks against one program wait for most of their runs, side by side. */
const LIMIT_MS = 1_200_000;

const tried = careless.filter((path) => extent !== "sample" || SAMPLE.includes(meantBy(path)));

describe("The checks", () => {
  it(
    "say nothing against a careful program",
    async () => {
      expect(findingsIn(await judged(careful)).map(told)).toEqual([]);
    },
    LIMIT_MS,
  );

  it.skipIf(extent === "sample").each(receivers)(
    "find nothing harmful in a careful receiver: %s",
    async (path) => {
      const found = findingsIn(await judged(path, { webhookUrl: WEBHOOK_URL }));
      expect(found.filter(({ outcome }) => outcome === "fail").map(told)).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(tried.map((path) => [meantBy(path), path]))(
    "find what is careless, and nothing else: %s",
    async (id, path) => {
      const [meant] = checks.filter((check) => check.id === id);
      const only = extent === "full" ? checks : meant ? [meant] : [];
      const found = await judged(path, { only, ...(SUBSCRIBED.includes(id) ? { webhookUrl: WEBHOOK_URL } : {}) });
      const outcome = NOT_DECIDED.includes(id) ? "undecided" : meant?.level === "must" ? "fail" : "warn";
      expect(findingsIn(found).map(told)).toEqual([expect.stringMatching(new RegExp(`^${id} ${outcome}: `))]);
    },
    LIMIT_MS,
  );
});

const told = ({ id, outcome, says }: ReturnType<typeof findingsIn>[number]): string => `${id} ${outcome}: ${says}`;
