// An earlier verdict that a later one is held against: what failed or was warned of then is known, and only what is new fails.
import type { Outcome } from "./check.ts";

export class BaselineError extends Error {}

export interface Baseline {
  knows(check: string, outcome: Outcome): boolean;
  /** What spoke against the program then. */
  checks: readonly string[];
}

/** Reads what `--reporter json` has written. */
export function readBaseline(text: string, file: string): Baseline {
  const then = new Map(resultsIn(text, file).filter(([, outcome]) => outcome === "fail" || outcome === "warn"));
  return {
    checks: [...then.keys()],
    knows: (check, outcome) => outcome === then.get(check) || (outcome === "warn" && then.get(check) === "fail"),
  };
}

function resultsIn(text: string, file: string): [check: string, outcome: unknown][] {
  const what = "Name a verdict that `sandbox verdict --reporter json --output FILE` wrote.";
  let given: { version?: unknown; results?: unknown } | null;
  try {
    given = JSON.parse(text) as typeof given;
  } catch {
    throw new BaselineError(`${file} is not JSON. ${what}`);
  }
  const results = (given?.version === 1 && Array.isArray(given.results) ? given.results : [null]) as unknown[];
  return results.map((each) => {
    const { id, outcome } = (each ?? {}) as { id?: unknown; outcome?: unknown };
    if (typeof id !== "string") throw new BaselineError(`${file} is no verdict. ${what}`);
    return [id, outcome];
  });
}
