// Judges the checks. Linters read the control run. Drills run in parallel, alone or sharing a run. A failure is only
// reported after a second run alone has confirmed it.
import {
  type Check,
  type Drill,
  type DrillCheck,
  isLinter,
  type Judgement,
  type Linter,
  notExercised,
  undecided,
  type VerdictOutcome,
} from "./check.ts";
import { countHits, hasSameEnd, isUnaffected } from "./compare.ts";
import { addDifferences } from "./harm.ts";
import { isInjected, type Observed, toEvidence } from "./observed.ts";
import type { Plan } from "./run.ts";

export type RunProgram = (plan: Plan) => Promise<Observed>;

export interface RunPlan {
  runs: number;
  /** The estimated time of one run and of all runs, in milliseconds. */
  run_ms: number;
  all_ms: number;
}

interface JudgingContext {
  run: RunProgram;
  /** The two control runs. */
  controls: readonly [Observed, Observed];
  /** The number of parallel runs. */
  jobs: number;
  /** Receives the number of runs if none has to be repeated. */
  planned?(plan: RunPlan): void;
  started?(check: Check): void;
  judged?(judged: JudgedCheck): void;
  /** Receives the notice that runs are not parallel from now on. */
  alone?(haveStrayed: boolean): void;
}

/** Returns the results in the order of `checks`. Rejects if a run is not possible. */
export async function judgeAll(checks: readonly Check[], judging: JudgingContext): Promise<JudgedCheck[]> {
  const found = new Map<string, JudgedCheck>();
  const settle = (judged: JudgedCheck) => {
    found.set(judged.check.id, judged);
    judging.judged?.(judged);
  };
  const drilled: CheckRuns[] = [];
  for (const check of checks) {
    const finishAtOnce = (judgement: Judgement) => settle({ check, judgement, runs: judging.controls, took_ms: 0 });
    if (isLinter(check)) {
      finishAtOnce(lintTwice(check, judging.controls));
      continue;
    }
    const missing = check.missing?.(judging.controls[0]);
    if (missing === undefined) drilled.push(new CheckRuns(check, judging.controls[0]));
    else finishAtOnce(notExercised(missing));
  }
  const failed = new Set<CheckRuns>();
  const isAlone = await runAll(drilled, judging, (each) =>
    each.failedTasks.length > 0 ? void failed.add(each) : settle(each.result),
  );
  // Failures are confirmed one at a time, with no parallel run.
  for (const each of failed) settle(await confirmFailures(each, judging, isAlone));
  return checks.flatMap(({ id }) => found.get(id) ?? []);
}

function lintTwice(check: Linter, [control, second]: JudgingContext["controls"]): Judgement {
  const judgement = check.lint(control);
  if (judgement.outcome === "pass") return judgement;
  // A finding that only one of the two control runs shows is chance.
  const confirmed = check.lint(second);
  return confirmed.outcome === judgement.outcome ? judgement : confirmed;
}

/**
 * Runs slow drills first, then shared runs, because these may save other runs. A run that failed in parallel is
 * repeated alone. If it then reaches the drill, the program can't run twice at the same time, so all later runs are
 * alone and true is returned.
 */
async function runAll(
  drilled: readonly CheckRuns[],
  judging: JudgingContext,
  done: (each: CheckRuns) => void,
): Promise<boolean> {
  const ownerOf = new Map(drilled.flatMap((each) => each.tasks.map((task) => [task, each] as const)));
  const waiting = orderRuns([...ownerOf.keys()]);
  const alone: Task[][] = [];
  const parallel: Task[][] = [];
  const wanted = Math.max(1, judging.jobs);
  let [jobs, hasStrayed] = [wanted, false];
  const keep = (run: readonly [Task, DrillRun][]) => {
    for (const [task, seen] of run) {
      const owner = ownerOf.get(task);
      // A shared run that did not pass does not show which drill failed.
      if (!seen.judgement) waiting.push([task]);
      else if (owner?.keep(task, seen).isDone) done(owner);
    }
  };
  const begin = (run: readonly Task[]): Promise<[Task, DrillRun][]> => {
    for (const { check } of run) judging.started?.(check);
    return runTasks(run, judging);
  };
  const processQueue = async () => {
    while (alone.length === 0) {
      const run = waiting.shift();
      if (!run) return;
      const found = await begin(run).catch((reason) => {
        // The other workers start no more runs.
        waiting.length = 0;
        throw reason;
      });
      // A port may have been taken, so the run is repeated alone before it counts.
      const strays = jobs > 1 && hasCalledAnother(found, judging);
      hasStrayed ||= strays;
      if (strays || (jobs > 1 && hasNoEffect(found, judging))) alone.push(run);
      else keep(found);
      if (jobs > 1) parallel.push(run);
    }
  };
  judging.planned?.(estimatePlan(waiting, judging));
  for (const each of drilled.filter(({ isDone }) => isDone)) done(each);
  while (waiting.length > 0) {
    const ends = await Promise.allSettled(Array.from({ length: jobs }, processQueue));
    // All workers have ended, so no program is left running.
    const [wrong] = ends.filter((end) => end.status === "rejected");
    if (wrong) throw wrong.reason;
    for (const run of alone.splice(0)) {
      const found = await begin(run);
      if (jobs > 1 && !hasNoEffect(found, judging) && !hasCalledAnother(found, judging)) {
        jobs = 1;
        judging.alone?.(hasStrayed);
        // Any parallel run may be the one whose sandbox received the requests, so all of them are repeated.
        if (hasStrayed) waiting.push(...parallel.splice(0).filter((each) => each !== run && !alone.includes(each)));
      }
      keep(found);
    }
  }
  return jobs < wanted;
}

/** The program reached nothing of the drill and ended differently, like one whose port is taken. */
function hasNoEffect([first]: readonly [Task, DrillRun][], { controls: [control] }: JudgingContext): boolean {
  const observed = first?.[1].observed;
  return observed !== undefined && countHits(observed) === 0 && !hasSameEnd(observed, control);
}

/**
 * The program sent requests to the sandbox of another run, for example because runs share a file with the address. Its
 * own sandbox then has no requests, or has requests with unknown credentials.
 */
function hasCalledAnother([first]: readonly [Task, DrillRun][], { controls: [control] }: JudgingContext): boolean {
  if (!first || first[0].drill.faults?.some(({ token }) => token)) return false;
  const hasStrangers = ({ requests }: Observed) =>
    requests.some((each) => each.status === 401 && each.client_id === null && !isInjected(each));
  const { observed } = first[1];
  if (observed.requests.length === 0) return control.requests.length > 0;
  return hasStrangers(observed) && !hasStrangers(control);
}

function orderRuns(tasks: readonly Task[]): Task[][] {
  const shared = groupShared(tasks);
  const alone = tasks.filter((task) => !shared.flat().includes(task)).map((task) => [task]);
  // Long runs start first, so that none is left alone at the end.
  return [...alone.filter(isSlow), ...shared, ...alone.filter((run) => !isSlow(run))];
}

/** Each run takes as long as a control run plus the waits of its drills. The next run starts when one ends. */
function estimatePlan(runs: readonly Task[][], { controls, jobs }: JudgingContext): RunPlan {
  const run_ms = Math.min(...controls.map(({ took_ms }) => took_ms));
  const ends = Array.from({ length: Math.max(1, jobs) }, () => 0);
  for (const run of runs)
    ends[ends.indexOf(Math.min(...ends))] =
      Math.min(...ends) + run_ms + Math.max(...run.map(({ drill }) => drill.waitMs ?? 0));
  return { runs: runs.length, run_ms, all_ms: Math.max(...ends) };
}

const isSlow = ([task]: readonly Task[]): boolean => task?.check.slow ?? false;

async function runTasks(
  tasks: readonly Task[],
  { run, controls: [control] }: JudgingContext,
): Promise<[Task, DrillRun][]> {
  const [only, ...others] = tasks as [Task, ...Task[]];
  const isShared = others.length > 0;
  const [name, drill] = isShared ? ["shared", combineDrills(tasks)] : [only.check.id, only.drill];
  const observed = await run({ name, drill, control });
  return tasks.map((task) => {
    const judgement = isShared ? judgeShared(task, observed, control) : task.check.judge(observed, control, task.drill);
    const complete = judgement && addDifferences(judgement, observed, control);
    return [task, { observed, judgement: complete && checkQuota(complete, observed, control) }];
  });
}

/** A quota of the sandbox must not affect the judgement, because the program can't know it. */
function checkQuota(judgement: Judgement, observed: Observed, control: Observed): Judgement {
  const limited = observed.requests.filter((each) => each.status === 429 && !isInjected(each));
  if (limited.length === 0 || control.requests.some(({ status }) => status === 429)) return judgement;
  const says = `the quota of the sandbox was exhausted; it rejected ${limited.length} requests with 429`;
  const add = "repeat it with --jobs 1, or ask the operator for a higher quota of requests";
  return { ...undecided(says, add), evidence: limited.slice(0, 5).map((each) => toEvidence(each)) };
}

/**
 * Repeats the failures alone. A failure that occurs only in parallel runs is undecided, unless the program can't run in
 * parallel.
 */
async function confirmFailures(drilled: CheckRuns, judging: JudgingContext, isAlone: boolean): Promise<JudgedCheck> {
  for (const task of drilled.failedTasks)
    for (const [, { observed, judgement }] of await runTasks([task], judging))
      drilled.keep(task, { observed, judgement: isAlone ? judgement : toUnconfirmed(judgement) });
  return drilled.result;
}

function toUnconfirmed(judgement: Judgement | undefined): Judgement | undefined {
  if (judgement === undefined || judgement.outcome === "fail") return judgement;
  const says = `It failed in one run, but not in another: ${judgement.says}`;
  return { ...judgement, says, add: "repeat it with --jobs 1", outcome: "undecided" };
}

export interface JudgedCheck {
  check: Check;
  judgement: Judgement;
  /** The runs as evidence, with the decisive run first. */
  runs: readonly Observed[];
  took_ms: number;
}

export interface DrillRun {
  observed: Observed;
  /** Undefined if the drill must be repeated in a run of its own. */
  judgement: Judgement | undefined;
}

/** A check with the runs of its drills so far. */
export class CheckRuns {
  readonly tasks: readonly Task[];
  readonly #seen = new Map<Task, DrillRun>();
  #took_ms = 0;

  constructor(
    readonly check: DrillCheck,
    readonly control: Observed,
  ) {
    this.tasks = check.drills(control).map((drill) => ({ check, drill }));
  }

  /** All drills are run even after a failure, so that each variant is reported. */
  get isDone(): boolean {
    return this.#seen.size === this.tasks.length;
  }

  get failedTasks(): Task[] {
    return this.tasks.filter((task) => this.#seen.get(task)?.judgement?.outcome === "fail");
  }

  /** Replaces an earlier run of the same drill. */
  keep(task: Task, seen: DrillRun): this {
    this.#seen.set(task, seen);
    this.#took_ms += seen.observed.took_ms;
    return this;
  }

  get result(): JudgedCheck {
    const { check, control } = this;
    const seen = this.tasks.flatMap((task) => this.#seen.get(task) ?? []);
    const runs = seen.map(({ observed }) => observed);
    const worst = findWorst(seen);
    return {
      check,
      // Some checks compare their runs with each other.
      judgement: check.judgeAll?.(runs, control) ?? combineJudgements(worst),
      runs: [...worst.map(({ observed }) => observed), ...runs],
      took_ms: this.#took_ms,
    };
  }
}

/** A check passes if one drill passes and the others were not exercised. */
const WORST_FIRST: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "pass", "not-exercised"];

function findWorst(seen: readonly DrillRun[]): readonly DrillRun[] {
  const byOutcome = WORST_FIRST.map((outcome) => seen.filter(({ judgement }) => judgement?.outcome === outcome));
  return byOutcome.find(({ length }) => length > 0) ?? [];
}

/**
 * Combines drills with the same outcome: all failures or warnings are reported, but only the first of the other
 * outcomes.
 */
function combineJudgements(alike: readonly DrillRun[]): Judgement {
  const judgements = alike.flatMap(({ judgement }) => judgement ?? []);
  const [first = { outcome: "not-exercised", says: "the program has nothing to which the drill applies" } as const] =
    judgements;
  if (first.outcome !== "fail" && first.outcome !== "warn") return first;
  const says = [...new Set(judgements.map((each) => each.says))].join("; ");
  return { ...first, says, evidence: judgements.flatMap(({ evidence = [] }) => evidence) };
}

/** A drill of a check. */
export interface Task {
  check: DrillCheck;
  drill: Drill;
}

/** Groups the drills that can share a run, at least two each. */
export function groupShared(tasks: readonly Task[]): Task[][] {
  const names = [...new Set(tasks.flatMap(({ drill }) => drill.shares ?? []))];
  return names.map((name) => tasks.filter(({ drill }) => drill.shares === name)).filter(({ length }) => length > 1);
}

/** Names each fault after its drill. */
export const combineDrills = (tasks: readonly Task[]): Drill => ({
  faults: tasks.flatMap((task) => (task.drill.faults ?? []).map((fault) => ({ ...fault, name: formatTaskName(task) }))),
});

const formatTaskName = ({ check, drill }: Task): string => [check.id, drill.name].filter(Boolean).join(" ");

/** Judges one drill by the shared run. Returns undefined if the drill must be run alone. */
export function judgeShared(task: Task, observed: Observed, control: Observed): Judgement | undefined {
  const judgement = task.check.judge(selectFaults(task, observed), control, task.drill);
  // "Not exercised" counts only if the program made all requests of the control run.
  const isFinal =
    judgement.outcome === "pass" || (judgement.outcome === "not-exercised" && isUnaffected(observed, control));
  return isFinal ? judgement : undefined;
}

/** Keeps only the faults of this drill. */
function selectFaults(task: Task, observed: Observed): Observed {
  const name = formatTaskName(task);
  return {
    ...observed,
    requests: observed.requests.map((each) => ({ ...each, faults: each.faults.filter((hit) => hit.name === name) })),
    armed: observed.armed.filter((fault) => fault.name === name),
  };
}
