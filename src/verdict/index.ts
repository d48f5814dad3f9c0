// The door of the verdict: runs a program against sandboxes of its own, does to it what networks and hosts do, and says what it did then.
// A client over HTTP: who uses it says how a sandbox and the program are started. The parts, for who builds on them:
//   checks/       by area what judges each check; the words of the checks are in spec/checks.yaml
//   runOnce       one run of the program in a fresh world, with what was seen of it (also for sweeps: `RunEnvironment.open` makes the world)
//   whyNotJudged, whyNotSteady   whether there is anything to judge
//   report/       a verdict as text
import { availableParallelism } from "node:os";
import { toCommand } from "../platform/shell-quoted.ts";
import type { Baseline } from "./baseline.ts";
import type { Check, Evidence } from "./check.ts";
import { variesIn } from "./compare.ts";
import type { Ignore } from "./ignores.ts";
import { type Judged, judgeAll, type MakeRun, type RunPlan } from "./judge.ts";
import type { Observed, RequestEntry } from "./observed.ts";
import { prepare, type Where } from "./prepare.ts";
import { judgedBy, operationsSeen } from "./profiles/judged.ts";
import type { Profile } from "./profiles/profile.ts";
import { type NoVerdict, noVerdictOn, whyNotJudged, whyNotSteady } from "./program.ts";
import { countsOf, exitCodeOf, type Result, type Verdict } from "./result.ts";
import { runOnce } from "./run.ts";
import type { Launch, RunEnvironment } from "./run-environment.ts";

export { type Baseline, readBaseline, readResults } from "./baseline.ts";
export { type Check, isLinter } from "./check.ts";
export { checks } from "./checks/index.ts";
export type { Connection } from "./connection.ts";
export { explained } from "./explained.ts";
export { type Ignore, IgnoreError, readIgnores } from "./ignores.ts";
export type { Ended } from "./observed.ts";
export type { Result, Verdict } from "./result.ts";
export type { Launch, RunEnvironment, Running } from "./run-environment.ts";
export { removeWorlds } from "./worlds.ts";

/** What a program is judged by. */
interface JudgingOptions {
  seed: string;
  /** The command, for the report. */
  command: readonly string[];
  /** Options that a command needs which repeats a check, beside the seed. */
  given?: readonly string[];
  checks: readonly Check[];
  /** It is judged by what this asks for. */
  profile?: Profile | undefined;
  webhookUrl?: string | undefined;
  keep?: Where["keep"];
  strict?: boolean;
  /** Runs side by side; as many as the machine has cores unless given. */
  jobs?: number | undefined;
  ignores?: readonly Ignore[];
  /** Of an earlier verdict: what was so then is known. */
  baseline?: Baseline | undefined;
  /** Today, as 2030-06-30. */
  today?: string;
  report?(progress: VerdictProgress): void;
}

/** Everything that is judged with; who calls it makes sandboxes and starts programs. */
export interface VerdictOptions extends JudgingOptions, Where {
  launch: Launch;
  probe?: RunEnvironment["probe"];
  freshFolder?: RunEnvironment["freshFolder"];
  /** Milliseconds that a run may take. */
  limitMs: number;
}

export type VerdictProgress =
  | { what: "control"; number: 1 | 2 }
  | { what: "begun"; checks: number; jobs: number; serves: boolean }
  /** Each about as long as the one without a drill. */
  | ({ what: "planned"; jobs: number } & RunPlan)
  | { what: "started"; check: Check }
  /** Runs do not go side by side. `haveStrayed`: one has called the sandbox of another. */
  | { what: "alone"; haveStrayed: boolean }
  | { what: "decided"; result: Result };

/**
 * Runs the program against sandboxes, and judges it. Never rejects for what the program does: where nothing can be
 * judged, the verdict says why.
 */
export async function judge(options: VerdictOptions): Promise<Verdict> {
  const { seed, keep } = options;
  const { environment, about, worldsLeft } = await prepare(options);
  const began = performance.now();
  const run: MakeRun = (plan) => runOnce(plan.control ? settledBy(plan.control, environment) : environment, plan);
  const finish = (results: readonly Result[], no_verdict: NoVerdict | null, requests: readonly RequestEntry[] = []) => {
    const profile = options.profile && judgedBy(options.profile, operationsSeen(requests), results);
    const found: Verdict = {
      ...{ version: 1, command: [...options.command], seed, sandbox: about, no_verdict },
      ...{ results: [...results], counts: countsOf(results) },
      ...(profile ? { profile } : {}),
      ...(keep ? { worlds: [...worldsLeft] } : {}),
      at: new Date(performance.timeOrigin + performance.now()).toISOString(),
      took_ms: performance.now() - began,
      exit_code: no_verdict ? 3 : (profile?.gaps.length ?? 0) > 0 ? 1 : exitCodeOf(results, options.strict ?? false),
    };
    return found;
  };
  return judgeBy(run, options, finish).catch((reason) => finish([], noVerdictOn(reason)));
}

async function judgeBy(
  run: MakeRun,
  options: JudgingOptions,
  finish: (results: readonly Result[], no_verdict: NoVerdict | null, requests?: readonly RequestEntry[]) => Verdict,
): Promise<Verdict> {
  const { report = () => {} } = options;
  report({ what: "control", number: 1 });
  // Twice without a failure: what differs by itself can't be held against a drill.
  const first = await run({ name: "control" });
  const unfit = whyNotJudged(first);
  if (unfit) return finish([], unfit);
  report({ what: "control", number: 2 });
  const second = await run({ name: "control", control: first });
  const unsteady = whyNotSteady(first, second);
  if (unsteady) return finish([], unsteady);
  // One at a time where two receivers would want the same port.
  const jobs = sharesPort(first, second, options.webhookUrl) ? 1 : (options.jobs ?? availableParallelism());
  report({ what: "begun", checks: options.checks.length, jobs, serves: serves(first) });
  // Of one that polls the first was watched for long; a drill is as short as the second.
  const isPolling = first.requests.length > 2 * second.requests.length;
  const [control, other] = isPolling ? [second, first] : [first, second];
  const longest = first.requests.length > second.requests.length ? first : second;
  const judged = await judgeAll(options.checks, {
    ...{ run, controls: [{ ...control, ...variesIn(first, second), longerControl: longest }, other], jobs },
    started: (check) => report({ what: "started", check }),
    planned: (plan) => report({ what: "planned", ...plan, jobs }),
    alone: (haveStrayed) => report({ what: "alone", haveStrayed }),
    judged: (each) => report({ what: "decided", result: resultOf(each, options) }),
  });
  return finish(
    judged.map((each) => resultOf(each, options)),
    null,
    [...first.requests, ...second.requests],
  );
}

const serves = ({ ended }: Observed): boolean => ended.stopped === "served";

/** What the control run shows: whether it ends by itself. A drill takes longer: it waits, and is answered late. */
const settledBy = (control: Observed, environment: RunEnvironment): RunEnvironment => ({
  ...{ ...environment, serves: serves(control) },
  limitMs: Math.min(environment.limitMs, LEAST_MS + 4 * control.took_ms),
});
/** Milliseconds; a drill has waits of its own, the longest of which is 20 s. */
const LEAST_MS = 40_000;

/** A receiver that listens on one port can't be there twice. */
export function sharesPort(first: Observed, second: Observed, webhookUrl: string | undefined): boolean {
  if (webhookUrl !== undefined) return !webhookUrl.includes("{port}");
  const urls = new Set(first.subscriptions.map(({ url }) => url));
  return second.subscriptions.some(({ url }) => urls.has(url));
}

function resultOf({ check, judgement, runs, took_ms }: Judged, options: JudgingOptions): Result {
  const { id, level, title, rule, advice } = check;
  const { outcome, says, evidence = [], add } = judgement;
  const ignore = options.ignores?.find((each) => each.check === id);
  // Days are compared as texts, which their form allows.
  const isOver = ignore !== undefined && options.today !== undefined && options.today > ignore.until;
  const late = isOver
    ? `. It was ignored until ${ignore.until} (${ignore.reason}); take it out of .sandbox-verdict.yaml.`
    : "";
  return {
    ...{ id, level, title, says: `${says}${late}`, rule, advice, took_ms },
    evidence: options.keep === true ? located(evidence, runs) : [...evidence],
    // An ignore that is forgotten must be seen, or it holds for ever.
    outcome: isOver && outcome !== "fail" ? "warn" : outcome,
    ...(add === undefined ? {} : { add }),
    again: againOf(id, options),
    ...(options.baseline?.knows(id, outcome) ? { known: true as const } : {}),
    ...(ignore && !isOver ? { ignored: { reason: ignore.reason, until: ignore.until } } : {}),
  };
}

// With the same seed and options, so that the same happens.
const againOf = (id: string, { seed, command, given = [] }: JudgingOptions): string =>
  toCommand(["sandbox", "check", "--only", id, "--seed", seed, ...given, "--", ...command]);

// In which world a piece of evidence is, so that a console can lead there.

/** Of runs in worlds that are kept. What the program printed is in none. */
function located(evidence: readonly Evidence[], runs: readonly Observed[]): Evidence[] {
  return evidence.map((each) => {
    const run = runs.find((observed) => has(observed, each.id));
    return run ? { ...each, world: run.entries.find(({ id }) => id === each.id)?.world ?? run.world } : each;
  });
}

const has = ({ entries, messages, bookings }: Observed, id: string): boolean =>
  [entries, messages, bookings].some((records) => records.some((record) => record.id === id));
