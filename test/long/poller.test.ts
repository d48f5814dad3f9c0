// A careful program that polls without end, apart from the other styles of test/verdict/matrix.long.test.ts: it is given half a minute in each
// of its runs, so that both tests mostly wait.
import { join } from "node:path";
import { expect, it } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import { judged, programs } from "../verdict/matrix.ts";

const POLLER = join(programs, "careful", "poller.mjs");
const LIMIT_MS = 1_200_000;

const linesOf = async (ids: readonly string[], isSilent: boolean) => {
  const only = checks.filter(({ id }) => ids.includes(id));
  const webhookUrl = isSilent ? "http://127.0.0.1:{port}/hooks" : undefined;
  const { results } = await judged(POLLER, { only, isSilent, webhookUrl, limitMs: LIMIT_MS / 4 });
  return results.map(({ id, outcome, says }) => [id, outcome, says]);
};

it.concurrent("passes if its requests are sufficient", { timeout: LIMIT_MS }, async () => {
  expect((await linesOf(["AUTH-01", "RETRY-02"], true)).map(([id, outcome]) => `${id} ${outcome}`)).toEqual([
    "AUTH-01 pass",
    "RETRY-02 pass",
  ]);
});

it.concurrent("passes by the output of its probe if its requests are not conclusive", {
  timeout: LIMIT_MS,
}, async () => {
  expect(await linesOf(["RETRY-01"], false)).toEqual([
    ["RETRY-01", "pass", "after a lost response it knows the booking: its probe prints it"],
  ]);
});
