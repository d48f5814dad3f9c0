// A verdict: a result for each check, or the reason why there is none. `--report json` prints it, so its fields are a contract.
import type { Schemas } from "../client/control.ts";
import type { VerdictOutcome } from "./check.ts";

export type Result = Schemas["VerdictResult"];

export type Verdict = Schemas["Verdict"];

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
