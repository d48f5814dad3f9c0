// What a verdict consists of: a result for each check, or the reason why there is none. Reporters read this; it is also what
// `--reporter json` prints, so its members are a contract.
import type { Evidence, Level, VerdictOutcome } from "./check.ts";
import type { About } from "./description.ts";
import type { ProfileJudged } from "./profiles/profile.ts";
import type { NoVerdict } from "./program.ts";

export interface Result {
  id: string;
  level: Level;
  title: string;
  outcome: VerdictOutcome;
  /** What the program did, in one sentence. */
  says: string;
  evidence: readonly Evidence[];
  /** The sentence of the service's description that it rests on. */
  rule: string;
  /** What to write instead. */
  advice: string;
  /** What would decide it, or let it be exercised. */
  add?: string;
  /** The command that repeats it. */
  again: string;
  ignored?: { reason: string; until: string };
  /** It was so already in the verdict that this one is held against. */
  known?: true;
  took_ms: number;
}

/** One document for all reporters. */
export interface Verdict {
  version: 1;
  command: readonly string[];
  seed: string;
  sandbox: About;
  results: readonly Result[];
  counts: Readonly<Record<VerdictOutcome | "ignored", number>>;
  no_verdict: NoVerdict | null;
  /** Where it was judged by one: what it asks for, and what of it was not shown. */
  profile?: ProfileJudged;
  /** Of the runs, where they are kept. */
  worlds?: readonly string[];
  /** When it was there, in real time. */
  at: string;
  took_ms: number;
  exit_code: number;
}

/** From what needs doing to what does not. */
export const OUTCOMES: readonly VerdictOutcome[] = ["fail", "warn", "undecided", "not-exercised", "pass"];

export function countsOf(results: readonly Result[]): Verdict["counts"] {
  const judged = results.filter(({ ignored }) => ignored === undefined);
  const counts = OUTCOMES.map((outcome) => [outcome, judged.filter((each) => each.outcome === outcome).length]);
  return { ...Object.fromEntries(counts), ignored: results.length - judged.length } as Verdict["counts"];
}

/** What is known does not fail. With `strict` a warning counts, and so does a check of level `must` that was not exercised. */
export function exitCodeOf(results: readonly Result[], strict: boolean): number {
  const judged = results.filter(({ ignored, known }) => ignored === undefined && !known);
  const counts = ({ outcome, level }: Result): boolean =>
    outcome === "fail" || (strict && (outcome === "warn" || (outcome === "not-exercised" && level === "must")));
  return judged.some(counts) ? 1 : 0;
}
