// Soaks of the mirror, some at a time since they mostly wait: each careful style converges, under as many seeds as SANDBOX_SOAK_SEEDS
// says, and each way to be careless is found within three seeds.
import { describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { careless, soaked, styles } from "../verdict/soak/soaked.ts";

const LIMIT_MS = 1_800_000;
const SEEDS = Array.from({ length: Number(process.env.SANDBOX_SOAK_SEEDS ?? 1) }, (_, seed) => String(seed + 1));
/** In CI every second careful style. */
const tried = styles.filter((_, at) => extent(true, at % 2 === 0, true));
const SOAK = extent({ days: 3, restarts: 1 }, { days: 3, restarts: 1 }, { days: 6, restarts: 2 });

describe("A careful mirror converges:", () => {
  it.concurrent.each(tried)("%s", { timeout: LIMIT_MS }, async (style) => {
    for (const seed of SEEDS) {
      const found = await soaked(style, { ...SOAK, seed });
      const { differences, no_verdict, exit_code, restarts, done_days } = found;
      expect({ seed, differences, no_verdict, exit_code, restarts, days: done_days }).toEqual({
        seed,
        differences: [],
        no_verdict: null,
        exit_code: 0,
        ...SOAK,
      });
      expect(Object.keys(found.business).length).toBeGreaterThan(6);
      expect(Object.keys(found.weather).length).toBeGreaterThan(2);
    }
  });
});

/** What each comes to, of which kind of difference, and in which member; and how many days show it. */
const FOUND: Readonly<Record<string, readonly [kind: string, member: string | undefined, days: number]>> = {
  "no dedupe": ["too many", undefined, 3],
  "no retry": ["missing", undefined, 6],
  "cursor kept": ["stale", "status", 6],
  "clock trusted": ["missing", undefined, 3],
  "order trusted": ["stale", "status", 3],
  "secret not rotated": ["missing", undefined, 3],
  "page cut": ["stale", "status", 6],
  "lost answer repeated": ["missing", undefined, 6],
  "float amounts": ["wrong amount", "total", 3],
  "restart forgets": ["missing", undefined, 3],
};

describe("A careless one is found within three seeds:", () => {
  it.concurrent.each(careless)("%s", { timeout: LIMIT_MS }, async (habit) => {
    const [kind, member, days] = FOUND[habit] as (typeof FOUND)[string];
    for (const seed of ["1", "2", "3"]) {
      const { differences } = await soaked(habit, { ...SOAK, days: Math.max(days, SOAK.days), seed, graceMs: 2000 });
      const seen = differences.find((each) => each.kind === kind && each.member === member);
      if (!seen) continue;
      expect(seen).toMatchObject({
        of: "bookings",
        id: expect.stringMatching(/./),
        says: expect.stringContaining(seen.id),
      });
      return;
    }
    expect.fail(`${habit} was not found`);
  });
});
