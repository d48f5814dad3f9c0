// The types of checks. spec/checks.yaml contains the texts of each check, and a judge evaluates a run. A check without
// drills is a linter, which reads only the log of the control run.
import type { Schemas } from "../client/control.ts";
import type words from "../contract/generated/checks.ts";
import type { Comparison } from "./comparison.ts";
import { type Judgement, notExercised } from "./judgement.ts";
import type { Live, Logged, Observed } from "./observed.ts";
import type { RunContext } from "./worlds.ts";

export type Fault = Schemas["FaultInput"];

/** The failures that are injected in one run. */
export interface Drill {
  /** Distinguishes the drills of a check. */
  name?: string;
  /** Acts before the program starts. The returned variables are added to the environment of the program. */
  before?(world: Pick<RunContext, "control" | "connection">): Promise<Readonly<Record<string, string>> | undefined>;
  /** The faults are armed before the program starts. */
  faults?: readonly Fault[];
  /** Acts while the program runs. */
  drive?(live: Live): Promise<void>;
}

export type CheckId = keyof typeof words;

/** A row of spec/checks.yaml. */
export interface CheckWords {
  level: "must" | "should";
  /** A sentence about what a careful program does. */
  title: string;
  /** The injected failures, or what a linter reads. */
  done: string;
  /** A sentence of the API description or of a standard. */
  rule: string;
  /** The damage that makes a run fail, in the records of the sandbox or in the program's own state. */
  harm: string;
  advice: string;
  explain: { happens: string; instead: string; code: string };
}

/** Evaluates what was observed, and sends no requests. */
export type Judge = LinterJudge | DrillJudge;

interface LinterJudge {
  lint(logged: Logged): Judgement;
}

export interface DrillJudge {
  /** Returns the reason why the program can't be checked, according to the control run; undefined if it can. */
  missing?(control: Observed): string | undefined;
  /** Returns the faults of the only drill. The control run shows which operations and messages the program uses. */
  faults?(control: Observed): readonly Fault[];
  /** Returns one drill per run, if there are several or if they do more than arm faults. */
  drills?(control: Observed): readonly Drill[];
  /** The milliseconds by which each drill usually extends the run. The longest runs start first. */
  waitMs?: number;
  /** The sentence if no request was hit by a fault, so that there is nothing to judge. */
  unmet?(drill: string): string;
  judge(run: Comparison): Judgement;
  /** Evaluates all runs together, where the worst of them does not decide. */
  judgeAll?(runs: readonly Comparison[]): Judgement;
}

/** The judges of all checks in the areas, such as AUTH. */
export type Judges<Area extends string> = Readonly<Record<Extract<CheckId, `${Area}-${string}`>, Judge>>;

type Words = { id: CheckId } & CheckWords;
export type Linter = Words & LinterJudge;
export type DrillCheck = Words & DrillJudge;
export type Check = Linter | DrillCheck;

export const isLinter = (check: Check): check is Linter => "lint" in check;

export const listDrills = (check: DrillJudge, control: Observed): readonly Drill[] =>
  check.drills?.(control) ?? [{ faults: check.faults?.(control) ?? [] }];

export const judgeDrill = (check: DrillJudge, run: Comparison): Judgement =>
  check.unmet && run.hits.length === 0 ? notExercised(check.unmet(run.name)) : check.judge(run);

/** Returns plain text. Code is indented by four spaces, which the command line does not wrap. */
export function explainCheck({ id, level, title, done, rule, harm, explain, advice }: Check): string {
  const { happens, instead, code } = explain;
  return [
    `${id}  ${title}  (${level})`,
    "",
    happens,
    "",
    `Drill:          ${done}`,
    `Rule:           ${rule}`,
    `Harm:           ${harm}`,
    `Write instead:  ${instead}`,
    "",
    ...code.split("\n").map((line) => `    ${line}`),
    "",
    `In short: ${advice}`,
  ].join("\n");
}
