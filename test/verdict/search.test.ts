// The search for the answers that make a program fail: what it finds does so, and nothing less of it does. The program is a list of what
// it can't take, each one answer or several that only together break it.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Flip, Search } from "../../src/verdict/sweep/search.ts";

const flipsOf = (ids: readonly number[]): Flip[] =>
  ids.map((id) => ({ id: String(id), default: "a", value: "b", meaning: "", operations: undefined }));
const idsOf = (flips: readonly Flip[]) => flips.map(({ id }) => Number(id)).sort();

type Ended = { code: number | undefined; stopped?: "too-long" | "served"; output: string };
const [GREEN, RED]: Ended[] = [
  { code: 0, output: "" },
  { code: 1, output: "not ok 1 - books" },
];

async function searched(count: number, breaks: readonly (readonly number[])[], jobs = 1, ends = [GREEN, RED]) {
  let [running, most] = [0, 0];
  const fails = (ids: readonly number[]) => breaks.some((all) => all.every((id) => ids.includes(id)));
  const runWith = async (flips: readonly Flip[]) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return { ended: ends[fails(idsOf(flips)) ? 1 : 0] as Ended };
  };
  const reported: string[] = [];
  const search = new Search(runWith, jobs, (says) => reported.push(says));
  const isBroken = await search.searchAmong(flipsOf(Array.from({ length: count }, (_, id) => id)));
  return { search, isBroken, fails, most, told: reported };
}

it("finds each minimal set of overrides that breaks a program", async () => {
  const breaks = fc.array(fc.uniqueArray(fc.nat({ max: 8 }), { minLength: 1, maxLength: 4 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      breaks,
      fc.integer({ min: 1, max: 4 }),
      async (count, all, jobs) => {
        const { search, isBroken, fails, most, told } = await searched(count, all, jobs);
        const whole = Array.from({ length: count }, (_, id) => id);
        expect([isBroken, search.found.length > 0]).toEqual([fails(whole), fails(whole)]);
        for (const { flips } of search.found) {
          const ids = idsOf(flips);
          expect([ids, fails(ids)]).toEqual([ids, true]);
          for (const each of ids)
            expect([ids, each, fails(ids.filter((id) => id !== each))]).toEqual([ids, each, false]);
        }
        expect(most).toBeLessThanOrEqual(jobs);
        expect(told).toHaveLength(search.runs);
      },
    ),
    { numRuns: 60 },
  );
});

it("lists every override that breaks it alone, with the failing tests, and reports each run", async () => {
  const { search, told } = await searched(4, [[0], [3]]);
  const tests = [{ name: "books" }];
  expect(search.found).toEqual(
    [0, 3].map((id) => ({ flips: flipsOf([id]), tests, ended: "it ended with exit code 1" })),
  );
  expect(told).toEqual([
    ...["4 other values at once", "2 other values at once", "2 other values at once", "0=b", "1=b", "2=b", "3=b"],
  ]);
});

it("counts a program that keeps serving as working, and one that never ends as failing", async () => {
  const ends: Ended[] = [
    { code: undefined, stopped: "served", output: "" },
    { code: undefined, stopped: "too-long", output: "" },
  ];
  const { search } = await searched(2, [[1]], 1, ends);
  expect(search.found).toEqual([{ flips: flipsOf([1]), tests: [], ended: "it did not end in time" }]);
  expect((await searched(3, [], 1, ends)).search.found).toEqual([]);
});
