// A witness judges on a node that answers others meanwhile: no two checks are judged in one turn of its event loop.
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Check, isLinter, type Judgement } from "../../src/verdict/check.ts";
import { checks } from "../../src/verdict/checks/index.ts";
import { judgeAll } from "../../src/verdict/judge.ts";
import type { Observed } from "../../src/verdict/observed.ts";

const seen = (more: object = {}): Observed =>
  ({
    requests: [],
    entries: [],
    messages: [],
    armed: [],
    ended: { code: 0, output: "" },
    took_ms: 1,
    ...more,
  }) as unknown as Observed;

it("gives others a turn between two checks, also of those that share a run", async () => {
  const turns: number[] = [];
  let [now, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; now++) await turn();
  })();
  const judge = (): Judgement => {
    turns.push(now);
    return { outcome: "pass", says: "" };
  };
  const judged = (check: Check): Check =>
    isLinter(check) ? { ...check, lint: judge } : { ...check, missing: () => undefined, judge };
  // Linters, drills of their own, and drills that share a run.
  const some = checks.filter(({ id }) => /^(AUTH-0[24]|TOL-0[123]|AUTH-03|HOOK-0[24])$/.test(id)).map(judged);
  const control = seen({ connection: {}, bookings: [] });
  await judgeAll(some, { run: async () => seen(), controls: [control, control], jobs: 1 });
  isOver = true;
  await counting;
  expect(turns.length).toBeGreaterThanOrEqual(some.length);
  expect(new Set(turns).size).toBe(turns.length);
});
