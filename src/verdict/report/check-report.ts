// The one result format of all checks. Every sub-command of `sandbox check` makes one of its findings, and every renderer reads it.
import type { Schemas } from "../../client/control.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import { countsOf, exitCodeOf, type Result, type Verdict } from "../result.ts";

/** A finding that is no check of a run has no rule, advice or command of its own. */
export type ReportResult = Schemas["LintResult"] & Partial<Pick<Result, "again" | "ignored" | "known" | "took_ms">>;

export interface CheckReport {
  /** `sandbox check soak`. */
  name: string;
  /** The program that was judged; empty where there was none. */
  command: readonly string[];
  /** Parts of the line beside the command, such as the seed. */
  about: readonly string[];
  /** What the results rest on, by name. */
  facts: readonly (readonly [name: string, value: string])[];
  results: readonly ReportResult[];
  counts: Verdict["counts"];
  /** Sentences for people below the results. */
  notes: readonly string[];
  no_verdict: { says: string; output?: string } | null;
  profile?: ProfileJudged;
  /** Of the sandbox. */
  version?: string;
  seed?: string;
  at: string;
  took_ms: number;
  exit_code: number;
  /** What JSON has beside the results. */
  document: object;
}

type Findings = Pick<CheckReport, "name" | "results" | "document"> &
  Partial<Omit<CheckReport, "counts">> & { strict?: boolean };

/** Fills in what follows from the results: counts, and the exit code 0, 1 or 3. */
export function createReport({ strict = false, ...findings }: Findings): CheckReport {
  const { results, no_verdict = null } = findings;
  return {
    command: [],
    about: [],
    facts: [],
    notes: [],
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    took_ms: 0,
    exit_code: no_verdict ? 3 : exitCodeOf(results, strict),
    ...findings,
    no_verdict,
    counts: countsOf(results),
  };
}

/** A finding without the members that only a check of a run has. */
export const createResult = (
  result: Pick<ReportResult, "id" | "title" | "outcome" | "says"> & Partial<ReportResult>,
): ReportResult => ({ level: "must", evidence: [], rule: "", advice: "", ...result });
