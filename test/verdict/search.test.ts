// The search for the values that make a program fail: each set that it finds does so, and no smaller part of it does. The program is a
// list of what it can't take, each one value or several that only together break it.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Flip, findDecisive } from "../../src/verdict/sweep/index.ts";

const flipsOf = (ids: readonly number[]): Flip[] =>
  ids.map((id) => ({ id: String(id), default: "a", value: "b", meaning: "", operations: undefined }));
const idsOf = (flips: readonly Flip[]) => flips.map(({ id }) => Number(id)).sort();

type Ended = Awaited<ReturnType<Parameters<typeof findDecisive>[1]["runWith"]>>;
const GREEN: Ended = { code: 0, output: "" };
const RED: Ended = { code: 1, output: "not ok 1 - books" };

async function search(count: number, breaks: readonly (readonly number[])[], parallel = 1, ends = [GREEN, RED]) {
  let [running, most] = [0, 0];
  const fails = (ids: readonly number[]) => breaks.some((all) => all.every((id) => ids.includes(id)));
  const runWith = async (flips: readonly Flip[]) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return ends[fails(idsOf(flips)) ? 1 : 0] as Ended;
  };
  const whole = Array.from({ length: count }, (_, id) => id);
  return { found: await findDecisive(flipsOf(whole), { runWith, parallel }), fails, whole, most };
}

it("finds minimal sets of values that break a program, until the others do not", async () => {
  const breaks = fc.array(fc.uniqueArray(fc.nat({ max: 8 }), { minLength: 1, maxLength: 4 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      breaks,
      fc.integer({ min: 1, max: 4 }),
      async (count, all, jobs) => {
        const { found, fails, whole, most } = await search(count, all, jobs);
        const sets = found.map(({ flips }) => idsOf(flips));
        for (const ids of sets) {
          expect([ids, fails(ids)]).toEqual([ids, true]);
          for (const each of ids)
            expect([ids, each, fails(ids.filter((id) => id !== each))]).toEqual([ids, each, false]);
        }
        expect(fails(whole.filter((id) => !sets.flat().includes(id)))).toBe(false);
        expect(most).toBeLessThanOrEqual(jobs);
      },
    ),
    { numRuns: 60 },
  );
});

it("counts a program that keeps serving as working, and one that never ends as failing", async () => {
  const ends: Ended[] = [
    { code: undefined, stopped: "served", output: "" },
    { code: undefined, stopped: "too-long", output: "" },
  ];
  expect((await search(2, [[1]], 1, ends)).found).toEqual([{ flips: flipsOf([1]), ended: ends[1] }]);
  expect((await search(3, [], 1, ends)).found).toEqual([]);
});
