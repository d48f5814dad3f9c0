// The result of a soak. `--report json` prints it, so its fields are a contract.
import type { Evidence } from "../check.ts";
import type { SandboxDescription } from "../description.ts";
import type { NoVerdict } from "../program.ts";
import type { Difference } from "./differences.ts";
import type { Scope } from "./truth.ts";

export interface NoJudgement extends Omit<NoVerdict, "code"> {
  code: NoVerdict["code"] | "DIED" | "STOPPED";
}

export interface FoundDifference extends Difference {
  says: string;
  /** The message or response that should have informed the program, if there was one. */
  told?: Evidence;
  /** The last changes of the record, newest first. */
  story: readonly Evidence[];
  /** The command that shows the record's history. */
  why: string;
}

export interface Soak {
  version: 1;
  command: readonly string[];
  seed: string;
  days: number;
  rate: number;
  scope: Scope;
  sandbox: SandboxDescription;
  /** The start on the world's clock. */
  begins: string;
  /** The number of days that were simulated. */
  done_days: number;
  /** The numbers of the plan's steps that the soak performed. */
  steps: readonly number[];
  /** The acts as steps of a scenario, and sentences for what a scenario can't express. */
  story: readonly Readonly<Record<string, unknown>>[];
  left_out: readonly string[];
  /** How often each row of `business` was performed, and how often each row of `weather` hit. */
  business: Readonly<Record<string, number>>;
  weather: Readonly<Record<string, number>>;
  /** The number of acts that were no longer possible, such as the cancellation of a booking that was rejected. */
  refused: number;
  restarts: number;
  calls: number;
  deliveries: number;
  /** The number of compared records, by kind. */
  compared: Readonly<Record<string, number>>;
  /** Fields that the probe prints and the service does not have. */
  not_compared: readonly string[];
  differences: readonly FoundDifference[];
  no_verdict: NoJudgement | null;
  /** The command that repeats the soak. */
  again: string;
  /** The end in real time. */
  at: string;
  took_ms: number;
  exit_code: number;
}
