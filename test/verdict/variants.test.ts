// A check with several drills reports each that the program takes wrongly, as far as it is seen twice. The runs are made by hand.
import { expect, it } from "vitest";
import type { Check } from "../../src/verdict/check.ts";
import { checks } from "../../src/verdict/checks/index.ts";
import { judgeAll } from "../../src/verdict/judge.ts";
import { fail, type Judgement, notExercised, pass, warn } from "../../src/verdict/judgement.ts";
import type { Observed } from "../../src/verdict/observed.ts";

const observed = (more: object = {}): Observed =>
  ({
    requests: [],
    entries: [],
    messages: [],
    armed: [{ hits: 1 }],
    ended: { code: 0, output: "" },
    took_ms: 1,
    ...more,
  }) as unknown as Observed;

const wrong = (name: string) => fail(`it took ${name}`, [{ id: name, says: name }]);

/** What is found of a check by what each drill comes to, run after run. */
async function found(script: Readonly<Record<string, readonly Judgement[]>>) {
  const left = new Map(Object.entries(script).map(([name, judgements]) => [name, [...judgements]]));
  const check = {
    ...(checks.find(({ id }) => id === "HOOK-01") as Check),
    missing: () => undefined,
    drills: () => [...left.keys()].map((name) => ({ name })),
    judge: ({ name }: { name: string }) => left.get(name)?.shift(),
  } as unknown as Check;
  const [judged] = await judgeAll([check], {
    run: async () => observed(),
    controls: [observed(), observed()],
    jobs: 2,
  });
  return { ...judged?.judgement, took_ms: judged?.took_ms, left: [...left.values()].flat().length };
}

it("Every failing drill is reported, not only the first", async () => {
  expect(await found({ a: [wrong("a"), wrong("a")], b: [pass("fine")], c: [wrong("c"), wrong("c")] })).toEqual({
    outcome: "fail",
    says: "it took a; it took c",
    took_ms: 3,
    left: 0,
    evidence: [
      { id: "a", says: "a" },
      { id: "c", says: "c" },
    ],
  });
});

it("A drill that fails once and not again is omitted", async () => {
  const { outcome, says } = await found({ a: [wrong("a"), pass("fine")], c: [wrong("c"), wrong("c")] });
  expect([outcome, says]).toEqual(["fail", "it took c"]);
  expect(await found({ a: [wrong("a"), pass("fine")], b: [pass("fine")] })).toMatchObject({
    outcome: "undecided",
    says: "It failed in one run, but not in another: fine",
    add: "repeat it with --jobs 1",
  });
});

it("Warnings of several drills are merged without repetition", async () => {
  expect(await found({ a: [warn("slow", [])], b: [warn("slow", [])], c: [warn("late", [])] })).toMatchObject({
    outcome: "warn",
    says: "slow; late",
  });
});

it("A receiver that accepts each of the four forgeries has all of them reported, each from a separate run", async () => {
  const check = checks.find(({ id }) => id === "HOOK-01") as Check;
  const delivered = (name?: string) => ({
    id: "msg-1",
    kind: "v1.booking.created",
    created_at: "",
    body: { payload: {} },
    deliveries: [
      {
        attempts: [{ answer: { status: 204 }, outcome: "ACCEPTED", duration_ms: 1, ...(name && { fault: { name } }) }],
      },
    ],
  });
  const control = observed({ messages: [delivered()] });
  const [judged] = await judgeAll([check], {
    run: async ({ drill }) => observed({ messages: [delivered(drill?.name)] }),
    controls: [control, control],
    jobs: 2,
  });
  expect(judged?.judgement.says.split("; ")).toEqual([
    "it accepted a message with an altered body",
    "it accepted a message with a signature by a wrong secret",
    "it accepted a message with an old timestamp",
    "it accepted a message with no signature",
  ]);
  expect(judged?.judgement.evidence?.map(({ says }) => says)).toEqual(
    ["altered", "wrong_secret", "stale_timestamp", "missing_header"].map(
      (name) => `v1.booking.created (${name}) → 204`,
    ),
  );
});

it("The runs are announced with their estimated time, and the longest start first", async () => {
  const waits = { "TOL-01": 1000, "AUTH-06": undefined, "RETRY-05": 10_000 };
  const started: string[] = [];
  const announced: string[] = [];
  const control = observed({ took_ms: 2000 });
  await judgeAll(
    Object.entries(waits).map(([id, waitMs]) => ({ id, waitMs, faults: () => [], judge: () => pass("fine") }) as never),
    {
      run: async ({ name }) => {
        started.push(name);
        return observed();
      },
      controls: [observed({ took_ms: 2500 }), control],
      jobs: 2,
      planned: (says) => announced.push(says),
    },
  );
  expect(announced).toEqual(["3 runs of about 2.0 s, 2 at a time: about 12.0 s."]);
  expect(started).toEqual(["RETRY-05", "TOL-01", "AUTH-06"]);
});

it("A finding in the log of only one control run is chance", async () => {
  const find = async (...outcomes: Judgement[]) => {
    const check = { id: "AUTH-04", lint: ({ world }: Observed) => outcomes[Number(world)] } as never;
    const controls = [observed({ world: "0" }), observed({ world: "1" })] as const;
    const [judged] = await judgeAll([check], { run: async () => observed(), controls, jobs: 1 });
    return judged?.judgement.outcome;
  };
  const found = warn("a secret", []);
  expect(await Promise.all([find(found, found), find(found, pass("")), find(found, notExercised(""))])).toEqual([
    "warn",
    "pass",
    "not-exercised",
  ]);
});
