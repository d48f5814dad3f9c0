// Judges the checks: linters by the control run, drills each in a run of its own or together with others that can share one, several runs
// side by side. A failure is only reported when it is seen twice, the second time with nothing beside it.
import { type Check, isLinter, type Judgement, type Linter, notExercised, undecided } from "./check.ts";
import { endedAlike, hits } from "./compare.ts";
import { addDifferences } from "./differences.ts";
import { Drilled, type Judged, type SeenDrill } from "./drilled.ts";
import { evidenceOf, isInjected, type Observed } from "./observed.ts";
import type { Plan } from "./run.ts";
import { inOneRun, judgedTogether, sharedIn, type Task } from "./shared-run.ts";

export type { Judged } from "./drilled.ts";

/** Runs the program as planned, or finds the run that was so. */
export type MakeRun = (plan: Plan) => Promise<Observed>;

export interface RunPlan {
  runs: number;
  /** Of one run, and of all of them. */
  run_ms: number;
  all_ms: number;
}

interface Judging {
  run: MakeRun;
  /** Two runs without a drill. */
  controls: readonly [Observed, Observed];
  /** How many runs there may be at once. */
  jobs: number;
  /** How many runs there will be, if none has to be repeated. */
  planned?(plan: RunPlan): void;
  started?(check: Check): void;
  judged?(judged: Judged): void;
  /** Runs do not go side by side; from here on there is one at a time. */
  alone?(haveStrayed: boolean): void;
}

/** The results in the order of `checks`. Rejects where a run could not be made. */
export async function judgeAll(checks: readonly Check[], judging: Judging): Promise<Judged[]> {
  const found = new Map<string, Judged>();
  const settle = (judged: Judged) => {
    found.set(judged.check.id, judged);
    judging.judged?.(judged);
  };
  const drilled: Drilled[] = [];
  for (const check of checks) {
    const settleAtOnce = (judgement: Judgement) => settle({ check, judgement, runs: judging.controls, took_ms: 0 });
    if (isLinter(check)) {
      settleAtOnce(linted(check, judging.controls));
      continue;
    }
    const missing = check.missing?.(judging.controls[0]);
    if (missing === undefined) drilled.push(new Drilled(check, judging.controls[0]));
    else settleAtOnce(notExercised(missing));
  }
  const failed = new Set<Drilled>();
  const isAlone = await runAll(drilled, judging, (each) =>
    each.failed.length > 0 ? void failed.add(each) : settle(each.judged),
  );
  // One after another, with nothing beside them.
  for (const each of failed) settle(await confirmed(each, judging, isAlone));
  return checks.flatMap(({ id }) => found.get(id) ?? []);
}

function linted(check: Linter, [control, second]: Judging["controls"]): Judgement {
  const judgement = check.lint(control);
  if (judgement.outcome === "pass") return judgement;
  // What one of two equal runs shows is chance.
  const confirmed = check.lint(second);
  return confirmed.outcome === judgement.outcome ? judgement : confirmed;
}

/**
 * Several runs side by side: what takes long first, then what is shared, since that may save others. A run that failed beside
 * others is repeated alone; where it comes to something then, the program can't be there twice, and all later runs are alone too: true is returned.
 */
async function runAll(drilled: readonly Drilled[], judging: Judging, done: (each: Drilled) => void): Promise<boolean> {
  const ownerOf = new Map(drilled.flatMap((each) => each.tasks.map((task) => [task, each] as const)));
  const waiting = planOf([...ownerOf.keys()]);
  const alone: Task[][] = [];
  const parallel: Task[][] = [];
  const wanted = Math.max(1, judging.jobs);
  let [jobs, hasStrayed] = [wanted, false];
  const keep = (run: readonly [Task, SeenDrill][]) => {
    for (const [task, seen] of run) {
      const owner = ownerOf.get(task);
      // A shared run that did not pass says nothing of one drill.
      if (!seen.judgement) waiting.push([task]);
      else if (owner?.keep(task, seen).isDone) done(owner);
    }
  };
  const begin = (run: readonly Task[]): Promise<[Task, SeenDrill][]> => {
    for (const { check } of run) judging.started?.(check);
    return ran(run, judging);
  };
  const worker = async () => {
    while (alone.length === 0) {
      const run = waiting.shift();
      if (!run) return;
      const found = await begin(run).catch((reason) => {
        // The others begin no more.
        waiting.length = 0;
        throw reason;
      });
      // It may be a port that is taken, and is repeated alone before it counts.
      const strays = jobs > 1 && calledAnother(found, judging);
      hasStrayed ||= strays;
      if (strays || (jobs > 1 && hadNoEffect(found, judging))) alone.push(run);
      else keep(found);
      if (jobs > 1) parallel.push(run);
    }
  };
  judging.planned?.(estimate(waiting, judging));
  for (const each of drilled.filter(({ isDone }) => isDone)) done(each);
  while (waiting.length > 0) {
    const ends = await Promise.allSettled(Array.from({ length: jobs }, worker));
    // All have ended by now, so no program is left running.
    const [wrong] = ends.filter((end) => end.status === "rejected");
    if (wrong) throw wrong.reason;
    for (const run of alone.splice(0)) {
      const found = await begin(run);
      if (jobs > 1 && !hadNoEffect(found, judging) && !calledAnother(found, judging)) {
        jobs = 1;
        judging.alone?.(hasStrayed);
        // The run whose sandbox was called counts for nothing either, and it may be any of them.
        if (hasStrayed) waiting.push(...parallel.splice(0).filter((each) => each !== run && !alone.includes(each)));
      }
      keep(found);
    }
  }
  return jobs < wanted;
}

/** The program met nothing of the drill, and ended otherwise than it does by itself: as one that finds its port taken. */
function hadNoEffect([first]: readonly [Task, SeenDrill][], { controls: [control] }: Judging): boolean {
  const observed = first?.[1].observed;
  return observed !== undefined && hits(observed) === 0 && !endedAlike(observed, control);
}

/**
 * The program called the sandbox of another run, as one that reads the address from a file that its runs share: its own sandbox has no
 * request, or some with a token or key that is not its own.
 */
function calledAnother([first]: readonly [Task, SeenDrill][], { controls: [control] }: Judging): boolean {
  if (!first || first[0].drill.faults?.some(({ token }) => token)) return false;
  const hasStrangers = ({ requests }: Observed) =>
    requests.some((each) => each.status === 401 && each.client_id === null && !isInjected(each));
  const { observed } = first[1];
  if (observed.requests.length === 0) return control.requests.length > 0;
  return hasStrangers(observed) && !hasStrangers(control);
}

function planOf(tasks: readonly Task[]): Task[][] {
  const shared = sharedIn(tasks);
  const alone = tasks.filter((task) => !shared.flat().includes(task)).map((task) => [task]);
  // The longest first: at the end nobody waits for one run alone.
  return [...alone.filter(isSlow), ...shared, ...alone.filter((run) => !isSlow(run))];
}

/** Each run takes as long as one without a drill, and what its drills wait for; the next begins where one ends. */
function estimate(runs: readonly Task[][], { controls, jobs }: Judging): RunPlan {
  const run_ms = Math.min(...controls.map(({ took_ms }) => took_ms));
  const ends = Array.from({ length: Math.max(1, jobs) }, () => 0);
  for (const run of runs)
    ends[ends.indexOf(Math.min(...ends))] =
      Math.min(...ends) + run_ms + Math.max(...run.map(({ drill }) => drill.waitMs ?? 0));
  return { runs: runs.length, run_ms, all_ms: Math.max(...ends) };
}

const isSlow = ([task]: readonly Task[]): boolean => task?.check.slow ?? false;

/** One run for one drill, or for several that share it. */
async function ran(tasks: readonly Task[], { run, controls: [control] }: Judging): Promise<[Task, SeenDrill][]> {
  const [only, ...others] = tasks as [Task, ...Task[]];
  const isShared = others.length > 0;
  const [name, drill] = isShared ? ["shared", inOneRun(tasks)] : [only.check.id, only.drill];
  const observed = await run({ name, drill, control });
  const found: [Task, SeenDrill][] = [];
  for (const task of tasks) {
    const { check, drill } = task;
    const judgement = isShared ? judgedTogether(task, observed, control) : check.judge(observed, control, drill);
    const worded = judgement && addDifferences(judgement, observed, control);
    found.push([task, { observed, judgement: worded && withinLimits(worded, observed, control) }]);
  }
  return found;
}

/** What the program does when the sandbox itself has no more room for it speaks neither for nor against it. */
function withinLimits(judgement: Judgement, observed: Observed, control: Observed): Judgement {
  // A quota of a shared sandbox, which the program can't know.
  const limited = observed.requests.filter((each) => each.status === 429 && !isInjected(each));
  if (limited.length === 0 || control.requests.some(({ status }) => status === 429)) return judgement;
  const says = `the sandbox had no more requests for the program, and answered ${limited.length} with 429`;
  const add = "run it with --jobs 1, or let the operator raise the quota of requests";
  return { ...undecided(says, add), evidence: limited.slice(0, 5).map((each) => evidenceOf(each)) };
}

/** What failed once more alone: what failed beside others and not alone is not held against the program; nothing else counts where it can't be there twice. */
async function confirmed(drilled: Drilled, judging: Judging, isAlone: boolean): Promise<Judged> {
  for (const task of drilled.failed)
    for (const [, { observed, judgement }] of await ran([task], judging))
      drilled.keep(task, { observed, judgement: isAlone ? judgement : twice(judgement) });
  return drilled.judged;
}

function twice(judgement: Judgement | undefined): Judgement | undefined {
  if (judgement === undefined || judgement.outcome === "fail") return judgement;
  const says = `It failed in one run and not in another: ${judgement.says}`;
  return { ...judgement, says, add: "run it again with --jobs 1", outcome: "undecided" };
}
