// Judges the checks: linters by the control run, drills each in a run of its own, several side by side. A failure is only reported when
// it is seen twice, the second time with nothing beside it.
import type { Check, Judgement, Outcome } from "./check.ts";
import type { Observed } from "./observed.ts";
import { runOnce, type Stage } from "./run.ts";

export interface Judged {
  check: Check;
  judgement: Judgement;
  took_ms: number;
}

export interface Judging {
  stage: Stage;
  /** Two runs without a drill. */
  controls: readonly [Observed, Observed];
  /** How many runs there may be at once. */
  jobs: number;
  started?(check: Check): void;
  judged?(judged: Judged): void;
}

export async function judgeAll(checks: readonly Check[], judging: Judging): Promise<Judged[]> {
  const found = new Map<string, Judged>();
  const settle = (judged: Judged) => {
    found.set(judged.check.id, judged);
    judging.judged?.(judged);
  };
  const waiting = checks.flatMap((check) => {
    const early = withoutRun(check, judging.controls);
    if (early) settle({ check, judgement: early, took_ms: 0 });
    return early ? [] : [check];
  });
  waiting.sort((a, b) => Number(b.slow ?? false) - Number(a.slow ?? false));
  const again: Check[] = [];
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      judging.started?.(check);
      const judged = await drilled(check, judging);
      if (judged.judgement.outcome === "fail") again.push(check);
      else settle(judged);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, judging.jobs) }, worker));
  for (const check of again) settle(await drilled(check, judging).then(once));
  return checks.flatMap(({ id }) => found.get(id) ?? []);
}

/** What needs no run: a linter, and a drill that the program never comes to. */
function withoutRun(check: Check, [control, second]: Judging["controls"]): Judgement | undefined {
  const missing = check.missing?.(control);
  if (missing !== undefined) return { outcome: "not-exercised", says: missing };
  if (check.drills) return undefined;
  const judgement = check.judge(control, second, {});
  if (judgement.outcome === "pass") return judgement;
  // What one of two equal runs shows is chance.
  const confirmed = check.judge(second, control, {});
  return confirmed.outcome === judgement.outcome ? judgement : confirmed;
}

async function drilled(check: Check, { stage, controls: [control] }: Judging): Promise<Judged> {
  const began = performance.now();
  const drills = check.drills?.(control) ?? [];
  const runs: Observed[] = [];
  const judgements: Judgement[] = [];
  for (const drill of drills) {
    const observed = await runOnce(stage, { drill, control });
    runs.push(observed);
    const judgement = check.judge(observed, control, drill);
    judgements.push(judgement);
    if (judgement.outcome === "fail") break;
  }
  const judgement = check.judgeAll?.(runs, control) ?? worstOf(judgements);
  return { check, judgement, took_ms: performance.now() - began };
}

const WORST_FIRST: readonly Outcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

function worstOf(judgements: readonly Judgement[]): Judgement {
  const found = WORST_FIRST.flatMap((outcome) => judgements.find((each) => each.outcome === outcome) ?? []);
  return found[0] ?? { outcome: "not-exercised", says: "nothing in the program to try it on" };
}

/** What failed beside others and not alone is not held against the program. */
function once(judged: Judged): Judged {
  if (judged.judgement.outcome === "fail") return judged;
  const says = `It failed in one run and not in another: ${judged.judgement.says}`;
  return {
    ...judged,
    judgement: { ...judged.judgement, outcome: "undecided", says, add: "run it again with --jobs 1" },
  };
}
