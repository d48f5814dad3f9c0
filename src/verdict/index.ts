// Judges a program: runs it repeatedly against sandboxes, injects network and host failures, and reports how it behaved.
// Callers provide functions that start a sandbox and the program. This module only uses the control API.
//   checks/    the judges of all checks, by area; spec/checks.yaml contains their texts
//   run.ts     performs one run in a new world and collects the observations
//   program.ts decides whether the program can be judged
//   report/    renders results as text
import { availableParallelism } from "node:os";
import { toCommand } from "../platform/shell-quoted.ts";
import type { Check } from "./check.ts";
import { type JudgedCheck, judgeAll } from "./judge.ts";
import type { Evidence } from "./judgement.ts";
import type { Baseline, Ignore } from "./known-results.ts";
import type { Observed, RequestEntry } from "./observed.ts";
import { judgeProfile, listSuccessfulOperations, type Profile } from "./profiles/index.ts";
import { findVariations, hasFixedPort, type NoVerdict, runControls, toNoVerdict } from "./program.ts";
import { countOutcomes, type Result, toExitCode, type Verdict } from "./report/check-report.ts";
import { runOnce } from "./run.ts";
import { prepareRuns, type RunEnvironment, type RunSettings } from "./worlds.ts";

export { type Check, explainCheck, isLinter } from "./check.ts";
export { checks } from "./checks/index.ts";
export { type Ignore, IgnoreError, readBaseline, readIgnores, readResults } from "./known-results.ts";
export type { Result, Verdict } from "./report/check-report.ts";
export {
  type Connection,
  type Launch,
  type ProgramEnd,
  type RunEnvironment,
  type Running,
  removeWorlds,
} from "./worlds.ts";

/** The callers create sandboxes and start programs. */
interface VerdictOptions extends RunSettings {
  command: readonly string[];
  /** Options beside the seed that a command needs to repeat a check. */
  given?: readonly string[];
  checks: readonly Check[];
  profile?: Profile | undefined;
  strict?: boolean;
  /** Parallel runs. Default: the number of CPU cores. */
  jobs?: number | undefined;
  ignores?: readonly Ignore[];
  /** Results of an earlier verdict count as known. */
  baseline?: Baseline | undefined;
  /** The current day, as 2030-06-30. */
  today?: string;
  report?(progress: VerdictProgress): void;
}

export type VerdictProgress =
  | { what: "control"; number: 1 | 2 }
  | { what: "begun"; checks: number; jobs: number }
  | { what: "planned"; says: string }
  /** Runs are not parallel from now on. `haveStrayed`: a run has sent requests to the sandbox of another. */
  | { what: "alone"; haveStrayed: boolean }
  | { what: "decided"; result: Result };

/**
 * Runs the program against sandboxes and judges it. Never rejects because of the program: if nothing can be judged, the
 * verdict contains the reason.
 */
export async function judge(options: VerdictOptions): Promise<Verdict> {
  const { seed, keep } = options;
  const { environment, about, worldsLeft } = await prepareRuns(options);
  const began = performance.now();
  const toFindings = (reason: unknown): ProgramFindings => ({ no_verdict: toNoVerdict(reason) });
  const { results = [], no_verdict, requests = [] } = await judgeProgram(environment, options).catch(toFindings);
  const profile = options.profile && judgeProfile(options.profile, listSuccessfulOperations(requests), results);
  return {
    version: 1,
    command: [...options.command],
    seed,
    sandbox: about,
    no_verdict,
    results: [...results],
    counts: countOutcomes(results),
    ...(profile ? { profile } : {}),
    ...(keep ? { worlds: [...worldsLeft] } : {}),
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    took_ms: performance.now() - began,
    exit_code: no_verdict ? 3 : (profile?.gaps.length ?? 0) > 0 ? 1 : toExitCode(results, options.strict ?? false),
  };
}

interface ProgramFindings {
  results?: readonly Result[];
  no_verdict: NoVerdict | null;
  /** The requests of the control runs. */
  requests?: readonly RequestEntry[];
}

async function judgeProgram(environment: RunEnvironment, options: VerdictOptions): Promise<ProgramFindings> {
  const { report = () => {} } = options;
  const controls = await runControls(environment, (number) => report({ what: "control", number }));
  if ("code" in controls) return { no_verdict: controls };
  const { first, second } = controls;
  // Runs are not parallel if two receivers would use the same port.
  const jobs = hasFixedPort(first, second, options.webhookUrl) ? 1 : (options.jobs ?? availableParallelism());
  report({ what: "begun", checks: options.checks.length, jobs });
  // The first run of a program that polls is watched for long, but drills are as short as the second.
  const isPolling = first.requests.length > 2 * second.requests.length;
  const [control, other] = isPolling ? [second, first] : [first, second];
  const longest = first.requests.length > second.requests.length ? first : second;
  const judged = await judgeAll(options.checks, {
    run: (plan) => runOnce(controls.environment, plan),
    controls: [{ ...control, ...findVariations(first, second), longerControl: longest }, other],
    jobs,
    planned: (says) => report({ what: "planned", says }),
    alone: (haveStrayed) => report({ what: "alone", haveStrayed }),
    judged: (each) => report({ what: "decided", result: toResult(each, options) }),
  });
  const results = judged.map((each) => toResult(each, options));
  return { results, no_verdict: null, requests: [...first.requests, ...second.requests] };
}

function toResult({ check, judgement, runs, took_ms }: JudgedCheck, options: VerdictOptions): Result {
  const { id, level, title, rule, advice } = check;
  const { outcome, says, evidence = [], add } = judgement;
  const { seed, command, given = [] } = options;
  const ignore = options.ignores?.find((each) => each.check === id);
  // ISO dates are ordered like texts.
  const isOver = ignore !== undefined && options.today !== undefined && options.today > ignore.until;
  const late = isOver
    ? `. It was ignored until ${ignore.until} (${ignore.reason}); remove it from .sandbox-verdict.yaml.`
    : "";
  return {
    id,
    level,
    title,
    says: `${says}${late}`,
    rule,
    advice,
    took_ms,
    evidence: options.keep === true ? addWorlds(evidence, runs) : [...evidence],
    // An expired ignore becomes a warning, so that it is not forgotten.
    outcome: isOver && outcome !== "fail" ? "warn" : outcome,
    ...(add === undefined ? {} : { add }),
    again: toCommand(["sandbox", "check", "--only", id, "--seed", seed, ...given, "--", ...command]),
    ...(options.baseline?.isKnown(id, outcome) ? { known: true as const } : {}),
    ...(ignore && !isOver ? { ignored: { reason: ignore.reason, until: ignore.until } } : {}),
  };
}

/**
 * Adds the world to each piece of evidence, so that the console can open it. The program's output belongs to no world.
 */
function addWorlds(evidence: readonly Evidence[], runs: readonly Observed[]): Evidence[] {
  return evidence.map((each) => {
    const isEvident = ({ id }: { id: string }) => id === each.id;
    const run = runs.find(({ entries, messages, bookings }) => [entries, messages, bookings].flat().some(isEvident));
    return run ? { ...each, world: run.entries.find(isEvident)?.world ?? run.world } : each;
  });
}
