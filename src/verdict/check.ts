// What a check is: data (what is done to the program, which sentence of the service it rests on, what to write instead) and a function
// that judges what was observed. A check without a drill is a linter: it reads the control run only.
import type { Schemas } from "../client/control.ts";
import type { Live, Observed } from "./observed.ts";

export type Level = "must" | "should";
export type Outcome = "pass" | "fail" | "warn" | "not-exercised" | "undecided";
export type Fault = Schemas["FaultInput"];

export interface Evidence {
  /** Of a request, a message, a delivery or a record. */
  id: string;
  says: string;
  /** By the world's clock. */
  at?: string;
}

export interface Judgement {
  outcome: Outcome;
  /** One sentence: what the program did. */
  says: string;
  evidence?: readonly Evidence[];
  /** What would decide it, or let it be exercised. */
  add?: string;
}

export interface Drill {
  /** Armed before the program starts; the control run says which operations and kinds it meets. */
  faults?(control: Observed): readonly Fault[];
  /** Works beside the program, until the program ends. */
  drive?(live: Live, control: Observed): Promise<void>;
}

export interface Check {
  id: string;
  level: Level;
  /** What a careful program does, as a sentence. */
  title: string;
  /** What is done to the program; of a linter what is looked at. */
  done: string;
  /** The sentence of the service's description, or of a standard that it names. */
  rule: string;
  advice: string;
  explain: { happens: string; instead: string; code: string };
  /** Why the program, as the control run shows it, does not come to what is checked; undefined where it does. */
  missing?(control: Observed): string | undefined;
  drill?: Drill;
  judge(observed: Observed, control: Observed): Judgement;
}

export const pass = (says: string, evidence: readonly Evidence[] = []): Judgement => ({
  outcome: "pass",
  says,
  evidence,
});
export const fail = (says: string, evidence: readonly Evidence[]): Judgement => ({ outcome: "fail", says, evidence });
export const warn = (says: string, evidence: readonly Evidence[]): Judgement => ({ outcome: "warn", says, evidence });
export const notExercised = (says: string, add?: string): Judgement => ({
  outcome: "not-exercised",
  says,
  ...(add === undefined ? {} : { add }),
});
export const undecided = (says: string, add: string, evidence: readonly Evidence[] = []): Judgement => ({
  outcome: "undecided",
  says,
  add,
  evidence,
});
