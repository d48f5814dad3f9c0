// What a verdict consists of: a result for each check, or the reason why there is none. Reporters read this; it is also what
// `--report json` prints, so its members are a contract.
import type { Schemas } from "../client/control.ts";
import type { VerdictOutcome } from "./check.ts";

export type Result = Schemas["VerdictResult"];

/** One document for all reporters. */
export type Verdict = Schemas["Verdict"];

/** From what needs doing to what does not. */
export const OUTCOMES: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "not-exercised", "pass"];

export function countsOf(
  results: readonly (Pick<Result, "outcome"> & Partial<Pick<Result, "ignored">>)[],
): Verdict["counts"] {
  const judged = results.filter(({ ignored }) => ignored === undefined);
  const counts = OUTCOMES.map((outcome) => [outcome, judged.filter((each) => each.outcome === outcome).length]);
  return { ...Object.fromEntries(counts), ignored: results.length - judged.length } as Verdict["counts"];
}

type ExitResult = Pick<Result, "outcome" | "level"> & Partial<Pick<Result, "ignored" | "known">>;

/** What is known does not fail. With `strict` a warning counts, and so does a check of level `must` that was not exercised. */
export function exitCodeOf(results: readonly ExitResult[], strict: boolean): number {
  const judged = results.filter(({ ignored, known }) => ignored === undefined && !known);
  const counts = ({ outcome, level }: ExitResult): boolean =>
    outcome === "fail" || (strict && (outcome === "warn" || (outcome === "not-exercised" && level === "must")));
  return judged.some(counts) ? 1 : 0;
}
