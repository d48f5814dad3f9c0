// Results that don't count: failures and warnings of an earlier verdict (the baseline), and the checks that a project ignores in
// `.sandbox-verdict.yaml`, each with a reason and a last day. After that day an ignored check counts again, with a warning.
import { isObject } from "../platform/json.ts";
import { readPositioned } from "../platform/positions.ts";
import type { VerdictOutcome } from "./judgement.ts";

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

export interface Ignore {
  check: string;
  reason: string;
  /** The last day, as 2030-06-30. */
  until: string;
}

/** The message has the form `file:line: sentence`. */
export class IgnoreError extends Error {}

/** Throws an IgnoreError for the first mistake. `known` contains the ids of all checks. */
export function readIgnores(text: string, file: string, known: readonly string[]): Ignore[] {
  const { document, errors, positionOf } = readPositioned(text);
  const createError = (line: number, sentence: string) => new IgnoreError(`${file}:${line}: ${sentence}`);
  const [error] = errors;
  if (error) throw createError(error.line, error.message);
  const content: unknown = document.toJS() ?? {};
  const { ignore = [], ...others } = (isObject(content) ? content : { "": content }) as { ignore?: unknown };
  // A misspelt field would silently ignore nothing.
  const hasUnknownField = Object.keys(others).length > 0;
  if (hasUnknownField || !Array.isArray(ignore)) throw createError(1, FORM);
  return ignore.map((each: unknown, at) => {
    const { line } = positionOf(["ignore", at]);
    const { check, reason, until, ...rest } = (isObject(each) ? each : {}) as Record<string, unknown>;
    if (typeof check !== "string" || !known.includes(check))
      throw createError(line, `unknown check ${String(check)}. \`sandbox check explain\` lists all checks.`);
    if (typeof reason !== "string" || reason.trim() === "")
      throw createError(line, `${check} is ignored without a reason. Add a reason.`);
    if (typeof until !== "string" || !/^\d{4}-\d\d-\d\d$/.test(until) || Number.isNaN(Date.parse(until)))
      throw createError(line, `${check} is ignored without a last day. Write it as until: "2030-06-30".`);
    if (Object.keys(rest).length > 0) throw createError(line, `unknown field ${Object.keys(rest).join(", ")}.`);
    return { check, reason, until };
  });
}

const FORM = 'unknown format. Write the file as\nignore:\n  - { check: AUTH-02, reason: "…", until: "2030-06-30" }';
