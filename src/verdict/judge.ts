// Judges the checks. Linters read the control run. Drills run in parallel, each in a run of its own. A failure is only
// reported after a second run alone has confirmed it.
import { count } from "../platform/count.ts";
import { formatMs } from "../platform/duration-text.ts";
import { type Check, type Drill, type DrillCheck, isLinter, judgeDrill, type Linter, listDrills } from "./check.ts";
import { addDifferences, Comparison } from "./comparison.ts";
import { type Judgement, notExercised, undecided, type VerdictOutcome } from "./judgement.ts";
import { isInjected, type Observed, toEvidence } from "./observed.ts";
import type { Plan } from "./run.ts";

interface JudgingContext {
  run(plan: Plan): Promise<Observed>;
  /** The two control runs. */
  controls: readonly [Observed, Observed];
  /** The number of parallel runs. */
  jobs: number;
  /** Receives a sentence with the number of runs and their estimated time, if none has to be repeated. */
  planned?(says: string): void;
  judged?(judged: JudgedCheck): void;
  /** Receives the notice that runs are not parallel from now on. */
  alone?(haveStrayed: boolean): void;
}

export interface JudgedCheck {
  check: Check;
  judgement: Judgement;
  /** The runs as evidence, with the decisive run first. */
  runs: readonly Observed[];
  took_ms: number;
}

interface DrillRun {
  run: Comparison;
  judgement: Judgement;
}

interface Task {
  check: DrillCheck;
  drill: Drill;
  seen?: DrillRun;
}

/** Returns the results in the order of `checks`. Rejects if a run is not possible. */
export async function judgeAll(checks: readonly Check[], judging: JudgingContext): Promise<JudgedCheck[]> {
  const { controls } = judging;
  const found = new Map<Check, JudgedCheck>();
  const settle = (judged: JudgedCheck) => {
    found.set(judged.check, judged);
    judging.judged?.(judged);
  };
  const tasks: Task[] = [];
  for (const check of checks) {
    const own = isLinter(check) ? [] : listTasks(check, controls[0]);
    tasks.push(...own);
    if (own.length > 0) continue;
    const judgement = isLinter(check) ? lintTwice(check, controls) : explainMissing(check, controls[0]);
    settle({ check, judgement, runs: controls, took_ms: 0 });
  }
  const listOwn = (check: Check) => tasks.filter((task) => task.check === check);
  // All drills are run even after a failure, so that each variant is reported.
  const isAlone = await runAll(tasks, judging, ({ check }) => {
    const own = listOwn(check);
    if (own.every(({ seen }) => seen) && !own.some(hasFailed)) settle(combineRuns(check, own));
  });
  // Failures are confirmed one at a time, with no parallel run.
  for (const check of new Set(tasks.filter(hasFailed).map((task) => task.check))) {
    for (const task of listOwn(check).filter(hasFailed)) {
      const { run, judgement } = await runTask(task, judging);
      task.seen = { run, judgement: isAlone ? judgement : toUnconfirmed(judgement) };
    }
    settle(combineRuns(check, listOwn(check)));
  }
  return checks.flatMap((check) => found.get(check) ?? []);
}

const listTasks = (check: DrillCheck, control: Observed): Task[] =>
  check.missing?.(control) === undefined ? listDrills(check, control).map((drill) => ({ check, drill })) : [];

const explainMissing = (check: DrillCheck, control: Observed): Judgement =>
  notExercised(check.missing?.(control) ?? "the program has nothing to which the drill applies");

const hasFailed = ({ seen }: Task): boolean => seen?.judgement.outcome === "fail";

function lintTwice(check: Linter, [control, second]: JudgingContext["controls"]): Judgement {
  const judgement = check.lint(control);
  if (judgement.outcome === "pass") return judgement;
  // A finding that only one of the two control runs shows is chance.
  const confirmed = check.lint(second);
  return confirmed.outcome === judgement.outcome ? judgement : confirmed;
}

/**
 * Runs the drills in parallel. A program that can't run twice at the same time reaches nothing of a drill or calls the
 * sandbox of another run. All later runs are alone then, and true is returned.
 */
async function runAll(tasks: readonly Task[], judging: JudgingContext, done: (task: Task) => void): Promise<boolean> {
  const { jobs } = judging;
  // Long runs start first, so that none is left alone at the end.
  const waiting = [...tasks].sort((a, b) => (b.check.waitMs ?? 0) - (a.check.waitMs ?? 0));
  const parallel: Task[] = [];
  const suspects: Task[] = [];
  let hasStrayed = false;
  const work = async (isAlone: boolean) => {
    while (isAlone || suspects.length === 0) {
      const task = waiting.shift();
      if (!task) return;
      const seen = await runTask(task, judging).catch((reason) => {
        // The other workers start no more runs.
        waiting.length = 0;
        throw reason;
      });
      const strays = !isAlone && hasCalledAnother(task, seen.run);
      hasStrayed ||= strays;
      parallel.push(task);
      if (strays || (!isAlone && hasNoEffect(seen.run))) suspects.push(task);
      else {
        task.seen = seen;
        done(task);
      }
    }
  };
  judging.planned?.(describePlan(waiting, judging));
  if (jobs <= 1) return work(true).then(() => false);
  const ends = await Promise.allSettled(Array.from({ length: jobs }, () => work(false)));
  // All workers have ended, so no program is left running.
  const wrong = ends.find((end) => end.status === "rejected");
  if (wrong) throw wrong.reason;
  if (suspects.length === 0) return false;
  judging.alone?.(hasStrayed);
  // Any parallel run may be the one whose sandbox received the requests, so all of them are repeated.
  waiting.unshift(...(hasStrayed ? parallel.splice(0) : suspects));
  await work(true);
  return true;
}

/** Each run takes as long as a control run plus the wait of its check. The next run starts when one ends. */
function describePlan(tasks: readonly Task[], { controls, jobs }: JudgingContext): string {
  const runMs = Math.min(...controls.map(({ took_ms }) => took_ms));
  const ends = Array.from({ length: Math.max(1, jobs) }, () => 0);
  for (const { check } of tasks) {
    const first = Math.min(...ends);
    ends[ends.indexOf(first)] = first + runMs + (check.waitMs ?? 0);
  }
  const runs = `${count(tasks.length, "run")} of about ${formatMs(runMs)}, ${ends.length} at a time`;
  return `${runs}: about ${formatMs(Math.max(...ends))}.`;
}

/** The program reached none of the faults and ended differently, like one whose port is taken. */
const hasNoEffect = ({ observed: { armed }, hasSameEnd }: Comparison): boolean =>
  armed.length > 0 && armed.every(({ hits }) => hits === 0) && !hasSameEnd;

/** A shared file made the program call the sandbox of another run: it called nothing, or with unknown credentials. */
function hasCalledAnother({ drill }: Task, { observed, control }: Comparison): boolean {
  // A drill that changes tokens leads to unknown credentials itself.
  if (drill.faults?.some(({ token }) => token)) return false;
  const hasStrangers = ({ requests }: Observed) =>
    requests.some((each) => each.status === 401 && each.client_id === null && !isInjected(each));
  if (observed.requests.length === 0) return control.requests.length > 0;
  return hasStrangers(observed) && !hasStrangers(control);
}

async function runTask({ check, drill }: Task, { run, controls: [control] }: JudgingContext): Promise<DrillRun> {
  const compared = new Comparison(await run({ name: check.id, drill, control }), control, drill.name);
  const judgement = addDifferences(judgeDrill(check, compared), compared);
  return { run: compared, judgement: checkQuota(judgement, compared) };
}

/** A quota of the sandbox must not affect the judgement, because the program can't know it. */
function checkQuota(judgement: Judgement, { observed, control }: Comparison): Judgement {
  const limited = observed.requests.filter((each) => each.status === 429 && !isInjected(each));
  if (limited.length === 0 || control.requests.some(({ status }) => status === 429)) return judgement;
  const says = `the quota of the sandbox was exhausted; it rejected ${limited.length} requests with 429`;
  const add = "repeat it with --jobs 1, or ask the operator for a higher quota of requests";
  return { ...undecided(says, add), evidence: limited.slice(0, 5).map((each) => toEvidence(each)) };
}

/** A failure that occurs only in parallel runs is undecided, unless the program can't run in parallel. */
function toUnconfirmed(judgement: Judgement): Judgement {
  if (judgement.outcome === "fail") return judgement;
  const says = `It failed in one run, but not in another: ${judgement.says}`;
  return { ...judgement, says, add: "repeat it with --jobs 1", outcome: "undecided" };
}

/** A check passes if one drill passes and the others were not exercised. */
const WORST_FIRST: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

/** The worst outcome counts. All failures or warnings are reported, but only the first of the other outcomes. */
function combineRuns(check: DrillCheck, tasks: readonly Task[]): JudgedCheck {
  const seen = tasks.flatMap((task) => task.seen ?? []);
  const alike = WORST_FIRST.map((outcome) => seen.filter(({ judgement }) => judgement.outcome === outcome));
  const worst = alike.find(({ length }) => length > 0) ?? [];
  const judgements = worst.map(({ judgement }) => judgement);
  const [first] = judgements as [Judgement];
  const says = [...new Set(judgements.map((each) => each.says))].join("; ");
  const evidence = judgements.flatMap((each) => each.evidence ?? []);
  const isProblem = first.outcome === "fail" || first.outcome === "warn";
  const runs = seen.map(({ run }) => run);
  return {
    check,
    // Some checks compare their runs with each other.
    judgement: check.judgeAll?.(runs) ?? (isProblem ? { ...first, says, evidence } : first),
    runs: [...worst.map(({ run }) => run), ...runs].map(({ observed }) => observed),
    took_ms: runs.reduce((sum, { observed }) => sum + observed.took_ms, 0),
  };
}
