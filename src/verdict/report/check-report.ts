// The result format of all checks. Every subcommand of `sandbox check` creates a report, and every renderer reads it.
import type { Schemas } from "../../client/control.ts";
import type { JudgedProfile } from "../profiles/profile.ts";
import { countOutcomes, type Result, toExitCode, type Verdict } from "../result.ts";

/** A check of a run has a command that repeats it, and can be ignored or known. Other results have neither. */
export type ReportResult = Schemas["LintResult"] & Partial<Pick<Result, "again" | "ignored" | "known" | "took_ms">>;

export interface CheckReport {
  /** The command, such as `sandbox check soak`. */
  name: string;
  /** The program that was checked; empty if there was none. */
  command: readonly string[];
  /** Short facts that follow the command, such as the seed. */
  about: readonly string[];
  /** The environment of the check, such as the version of the sandbox. */
  facts: readonly (readonly [name: string, value: string])[];
  results: readonly ReportResult[];
  counts: Verdict["counts"];
  /** Sentences that follow the results. */
  notes: readonly string[];
  no_verdict: { says: string; output?: string } | null;
  profile?: JudgedProfile;
  /** The version of the sandbox. */
  version?: string;
  seed?: string;
  at: string;
  took_ms: number;
  exit_code: number;
  /** The fields that JSON has in addition to the results. */
  document: object;
}

type Findings = Pick<CheckReport, "name" | "results" | "document"> &
  Partial<Omit<CheckReport, "counts">> & { strict?: boolean };

/** Adds the counts and the exit code (0, 1 or 3), which follow from the results. */
export function createReport({ strict = false, ...findings }: Findings): CheckReport {
  const { results, no_verdict = null } = findings;
  return {
    command: [],
    about: [],
    facts: [],
    notes: [],
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    took_ms: 0,
    exit_code: no_verdict ? 3 : toExitCode(results, strict),
    ...findings,
    no_verdict,
    counts: countOutcomes(results),
  };
}

/** Creates a result without the fields that only a check of a run has. */
export const createResult = (
  result: Pick<ReportResult, "id" | "title" | "outcome" | "says"> & Partial<ReportResult>,
): ReportResult => ({ level: "must", evidence: [], rule: "", advice: "", ...result });
