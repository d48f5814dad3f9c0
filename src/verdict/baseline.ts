// Reads an earlier verdict as the baseline of a later one. Failures and warnings of the baseline are known, so only new
// ones fail.
import type { VerdictOutcome } from "./check.ts";

export interface Baseline {
  isKnown(check: string, outcome: VerdictOutcome): boolean;
  /** The checks that failed or warned. */
  checks: readonly string[];
}

/** Throws if the text is not a verdict of `--report json`. */
export function readBaseline(text: string): Baseline {
  const problems = readResults(text).filter(({ outcome }) => outcome === "fail" || outcome === "warn");
  const known = new Map(problems.map(({ id, outcome }) => [id, outcome]));
  return {
    checks: [...known.keys()],
    // A failure that became a warning is an improvement, so it is known too.
    isKnown: (check, outcome) => outcome === known.get(check) || (outcome === "warn" && known.get(check) === "fail"),
  };
}

/** Reads the result of each check from a verdict of `--report json`. */
export function readResults(text: string): { id: string; outcome: string }[] {
  const document = JSON.parse(text) as { results?: unknown } | null;
  // The null entry causes the error below.
  const results = (Array.isArray(document?.results) ? document.results : [null]) as unknown[];
  return results.map((each) => {
    const { id, outcome } = (each ?? {}) as { id?: unknown; outcome?: unknown };
    if (typeof id !== "string" || typeof outcome !== "string") throw new Error("it is not a verdict");
    return { id, outcome };
  });
}
