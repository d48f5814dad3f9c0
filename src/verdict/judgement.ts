// The outcome of a check in one run.
import type { Schemas } from "../client/control.ts";

export type VerdictOutcome = Schemas["VerdictOutcome"];
export type Evidence = Schemas["VerdictEvidence"];

export interface Judgement {
  outcome: VerdictOutcome;
  /** A sentence about what the program did. */
  says: string;
  evidence?: readonly Evidence[];
  /** The user can do this to get a decision, or to exercise the check. */
  add?: string;
}

// Each outcome has a function, so that a judge reads like a list of sentences.
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
// An undecided check always says what would decide it.
export const undecided = (says: string, add: string, evidence: readonly Evidence[] = []): Judgement => ({
  outcome: "undecided",
  says,
  add,
  evidence,
});

/** Harm is a clause, such as `the program booked again`. Without it, bad practice is a warning. */
export type Harm = string | undefined;

export const judgeHarm = (says: string, evidence: readonly Evidence[], harm: Harm): Judgement =>
  harm === undefined ? warn(says, evidence) : fail(`${says}: ${harm}`, evidence);
