// What a check is: its words (what is done to the program, which sentence of the service it rests on, what to write instead), which
// spec/checks.yaml has, and a function that judges what was observed. A check without a drill is a linter: it reads what was called, and
// nothing else.

import type { Schemas } from "../client/control.ts";
import type words from "../contract/generated/checks.json";
import type { Live, Logged, Observed } from "./observed.ts";
import type { RunContext } from "./run-context.ts";

export type VerdictOutcome = Schemas["VerdictOutcome"];
export type Fault = Schemas["FaultInput"];

export type Evidence = Schemas["VerdictEvidence"];

/** What one check makes of one run. */
export interface Judgement {
  outcome: VerdictOutcome;
  /** One sentence: what the program did. */
  says: string;
  evidence?: readonly Evidence[];
  /** What would decide it, or let it be exercised. */
  add?: string;
}

/** What is done to the program in one run. */
export interface Drill {
  /** Of several drills of a check: which this is. */
  name?: string;
  /** What the host does before the program starts; it may give the program more variables. */
  before?(world: Pick<RunContext, "control" | "connection">): Promise<Readonly<Record<string, string>> | undefined>;
  /** Real milliseconds that it makes a run longer, about. */
  waitMs?: number;
  /** Those of the same name may be in one run, since none hides what another does; they have nothing but faults. */
  shares?: "answers" | "refusals";
  /** Armed before the program starts. */
  faults?: readonly Fault[];
  /** Works beside the program, until the program ends. */
  drive?(live: Live): Promise<void>;
}

type Level = "must" | "should";
export type CheckId = keyof typeof words;

/** A row of spec/checks.yaml. */
export interface CheckWords {
  level: Level;
  /** What a careful program does, as a sentence. */
  title: string;
  /** What is done to the program; of a linter what is looked at. */
  done: string;
  /** The sentence of the service's description, or of a standard that it names. */
  rule: string;
  /** What makes a run fail, in the records of the sandbox or in the program's own state. */
  harm: string;
  advice: string;
  explain: { happens: string; instead: string; code: string };
}

/** The function behind the words. It reads what was observed, and asks nobody. */
export type Judge = LinterJudge | DrillJudge;

interface LinterJudge {
  lint(logged: Logged): Judgement;
}

interface DrillJudge {
  /** Why the program, as the control run shows it, does not come to what is checked; undefined where it does. */
  missing?(control: Observed): string | undefined;
  /** One run for each; the control run says which operations and kinds the program meets. */
  drills(control: Observed): readonly Drill[];
  /** It takes many seconds whatever the program does, so it begins first. */
  slow?: true;
  judge(observed: Observed, control: Observed, drill: Drill): Judgement;
  /** Where only all runs together decide, instead of the worst. */
  judgeAll?(observed: readonly Observed[], control: Observed): Judgement;
}

/** One for each check of these areas, such as AUTH. */
export type Judges<Area extends string> = Readonly<Record<Extract<CheckId, `${Area}-${string}`>, Judge>>;

type Words = { id: CheckId } & CheckWords;
export type Linter = Words & LinterJudge;
export type DrillCheck = Words & DrillJudge;
export type Check = Linter | DrillCheck;

export const isLinter = (check: Check): check is Linter => "lint" in check;

// One function for each outcome, so that a judge reads as a list of sentences.
const judgeAs =
  (outcome: VerdictOutcome) =>
  (says: string, evidence: readonly Evidence[] = []): Judgement => ({ outcome, says, evidence });
export const pass = judgeAs("pass");
export const fail = judgeAs("fail");
export const warn = judgeAs("warn");
export const notExercised = (says: string, add?: string): Judgement => ({
  outcome: "not-exercised",
  says,
  ...(add === undefined ? {} : { add }),
});
// It always says what would decide it: a question without a way on helps nobody.
export const undecided = (says: string, add: string, evidence: readonly Evidence[] = []): Judgement => ({
  outcome: "undecided",
  says,
  add,
  evidence,
});
