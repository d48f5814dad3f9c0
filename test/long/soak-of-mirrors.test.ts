// Soaks of the mirror, some at a time since they mostly wait: each careful style converges, under as many seeds as SANDBOX_SOAK_SEEDS
// says, and each way to be careless is found within three seeds.
import { describe, expect, it } from "vitest";
import { careless, soaked, styles } from "../verdict/soak/soaked.ts";

const LIMIT_MS = 1_800_000;
const SEEDS = Array.from({ length: Number(process.env.SANDBOX_SOAK_SEEDS ?? 1) }, (_, seed) => String(seed + 1));
const SOAK = { days: 6, restarts: 2 };

describe("A careful mirror converges:", () => {
  it.concurrent.each(styles)("%s", { timeout: LIMIT_MS }, async (style) => {
    for (const seed of SEEDS) {
      const { differences, no_judgement } = await soaked(style, { ...SOAK, seed });
      expect({ seed, differences, no_judgement }).toEqual({ seed, differences: [], no_judgement: null });
    }
  });
});

/** What each comes to, of which kind of difference, and in which member. */
const FOUND: Readonly<Record<string, readonly [kind: string, member: string | undefined]>> = {
  "no dedupe": ["too many", undefined],
  "no retry": ["missing", undefined],
  "cursor kept": ["stale", "status"],
  "clock trusted": ["missing", undefined],
  "order trusted": ["stale", "status"],
  "secret not rotated": ["missing", undefined],
  "page cut": ["stale", "status"],
  "lost answer repeated": ["missing", undefined],
  "float amounts": ["wrong amount", "total"],
  "restart forgets": ["missing", undefined],
};

describe("A careless one is found within three seeds:", () => {
  it.concurrent.each(careless)("%s", { timeout: LIMIT_MS }, async (habit) => {
    const [kind, member] = FOUND[habit] ?? [];
    for (const seed of ["1", "2", "3"]) {
      const { differences } = await soaked(habit, { ...SOAK, seed, graceMs: 2000 });
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
