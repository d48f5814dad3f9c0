// What a soak comes to. Reporters read this; it is also what `--report json` prints, so its members are a contract.
import type { Evidence } from "../check.ts";
import type { About } from "../description.ts";
import type { NoVerdict } from "../program.ts";
import type { Difference } from "./differences.ts";
import type { Scope } from "./truth.ts";

export interface NoJudgement {
  code: NoVerdict["code"] | "DIED" | "PROBE" | "STOPPED" | "LOG";
  says: string;
  /** The end of what the program printed. */
  output?: string;
}

export interface FoundDifference extends Difference {
  /** In one sentence. */
  says: string;
  /** The message or the answer that would have informed the program; absent where there was none. */
  told?: Evidence;
  /** The last that happened to the record, newest first. */
  story: readonly Evidence[];
  /** The command that tells all of it. */
  why: string;
}

export interface Soak {
  version: 1;
  command: readonly string[];
  seed: string;
  days: number;
  rate: number;
  scope: Scope;
  sandbox: About;
  /** By the world's clock. */
  begins: string;
  /** How many days were done. */
  done_days: number;
  /** The steps of the plan that were to be done. */
  steps: readonly number[];
  /** What was done, as steps of a scenario; and in sentences what no scenario has. */
  story: readonly Readonly<Record<string, unknown>>[];
  left_out: readonly string[];
  /** How often each thing happened; of the weather, how often it hit. */
  business: Readonly<Record<string, number>>;
  weather: Readonly<Record<string, number>>;
  /** What was done too late, such as the cancellation of a booking that was refused. */
  refused: number;
  restarts: number;
  calls: number;
  deliveries: number;
  /** By kind how many records were compared. */
  compared: Readonly<Record<string, number>>;
  /** Members that the probe prints and the service does not have. */
  not_compared: readonly string[];
  differences: readonly FoundDifference[];
  no_verdict: NoJudgement | null;
  /** The command that repeats it. */
  again: string;
  /** When it was there, in real time. */
  at: string;
  took_ms: number;
  exit_code: number;
}
