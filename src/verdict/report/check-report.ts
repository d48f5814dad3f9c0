// The result format of all checks. Every subcommand of `sandbox check` creates a report, and every renderer reads it. `--report json` prints
// the results, so their fields are a contract.
import type { Schemas } from "../../client/control.ts";
import type { VerdictOutcome } from "../judgement.ts";

export type Result = Schemas["VerdictResult"];

export type Verdict = Schemas["Verdict"];
export type JudgedProfile = Schemas["VerdictProfile"];

/** Most severe first. */
export const OUTCOMES: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "not-exercised", "pass"];

export const sortByOutcome = <R extends Pick<Result, "outcome">>(results: readonly R[]): R[] =>
  OUTCOMES.flatMap((outcome) => results.filter((each) => each.outcome === outcome));

export function countOutcomes(
  results: readonly (Pick<Result, "outcome"> & Partial<Pick<Result, "ignored">>)[],
): Verdict["counts"] {
  const judged = results.filter(({ ignored }) => ignored === undefined);
  const counts = OUTCOMES.map((outcome) => [outcome, judged.filter((each) => each.outcome === outcome).length]);
  return { ...Object.fromEntries(counts), ignored: results.length - judged.length } as Verdict["counts"];
}

type ExitResult = Pick<Result, "outcome" | "level"> & Partial<Pick<Result, "ignored" | "known">>;

/** Known results never fail. With `strict`, warnings fail, and so do checks of level `must` that were not exercised. */
export function toExitCode(results: readonly ExitResult[], strict: boolean): number {
  const judged = results.filter(({ ignored, known }) => ignored === undefined && !known);
  const isFailing = ({ outcome, level }: ExitResult): boolean =>
    outcome === "fail" || (strict && (outcome === "warn" || (outcome === "not-exercised" && level === "must")));
  return judged.some(isFailing) ? 1 : 0;
}

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

/** Names of `styleText` in `node:util`. */
type Style = "red" | "yellow" | "cyan" | "dim" | "green";

export interface Look {
  /** Adds the colour, unless the output has none. */
  paint(style: Style, text: string): string;
  /** Characters in a line. */
  width: number;
}

/** Returns the complete text with a line break at the end. */
export type Reporter = (report: CheckReport, look: Look) => string;

export const NAMES: Readonly<Record<VerdictOutcome, string>> = {
  pass: "pass",
  fail: "fail",
  warn: "warn",
  undecided: "undecided",
  "not-exercised": "not exercised",
};

/** An ignored result is counted separately. */
export const isCounted = ({ ignored }: Partial<Pick<Result, "ignored">>): boolean => ignored === undefined;

/** Formats `24 pass · 1 fail · 2 warn`, without outcomes that did not occur. */
export const formatSummary = ({ counts }: Pick<CheckReport, "counts">): string =>
  (Object.entries({ ...NAMES, ignored: "ignored" }) as [keyof typeof counts, string][])
    .filter(([outcome]) => counts[outcome] > 0)
    .map(([outcome, name]) => `${counts[outcome]} ${name}`)
    .join(" · ");

/** Formats `25 of 27 · reseller`. */
export const formatShare = ({ met, of, name }: JudgedProfile): string => `${met} of ${of} · ${name}`;

/** Formats one line for each piece of evidence. */
export const formatEvidence = ({ evidence }: Pick<Result, "evidence">): string[] =>
  evidence.map(({ id, says }) => `${id}: ${says}`);
