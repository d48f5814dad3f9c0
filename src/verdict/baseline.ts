// An earlier verdict that a later one is held against: what failed or was warned of then is known, and only what is new fails.
import type { VerdictOutcome } from "./check.ts";

export interface Baseline {
  knows(check: string, outcome: VerdictOutcome): boolean;
  /** What spoke against the program then. */
  checks: readonly string[];
}

/** Throws where the text is no verdict, as `--report json` has written it. */
export function readBaseline(text: string): Baseline {
  const against = readResults(text).filter(({ outcome }) => outcome === "fail" || outcome === "warn");
  const then = new Map(against.map(({ id, outcome }) => [id, outcome]));
  return {
    checks: [...then.keys()],
    // What failed then and is only a warning now got better, and is no news.
    knows: (check, outcome) => outcome === then.get(check) || (outcome === "warn" && then.get(check) === "fail"),
  };
}

/** The result of each check of a verdict, as `--report json` has written it. */
export function readResults(text: string): { id: string; outcome: string }[] {
  const given = JSON.parse(text) as { results?: unknown } | null;
  // An entry that is null fails below, with the same sentence as any other document.
  const results = (Array.isArray(given?.results) ? given.results : [null]) as unknown[];
  return results.map((each) => {
    const { id, outcome } = (each ?? {}) as { id?: unknown; outcome?: unknown };
    if (typeof id !== "string" || typeof outcome !== "string") throw new Error("it is no verdict");
    return { id, outcome };
  });
}
