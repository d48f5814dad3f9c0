// `.sandbox-verdict.yaml`: checks that a project ignores, each with a reason and a last day. One that is past its day is a warning, and the
// check counts again.
import { readPositioned } from "../platform/positions.ts";

export interface Ignore {
  check: string;
  reason: string;
  /** The last day, as 2030-06-30. */
  until: string;
}

/** What is wrong with the file, as `file:line: sentence`. */
export class IgnoreError extends Error {}

/** Throws an IgnoreError for the first thing that is wrong. `known`: the ids of the checks. */
export function readIgnores(text: string, file: string, known: readonly string[]): Ignore[] {
  const { document, errors, positionOf } = readPositioned(text);
  const broken = (line: number, sentence: string) => new IgnoreError(`${file}:${line}: ${sentence}`);
  const [error] = errors;
  if (error) throw broken(error.line, error.message);
  const content: unknown = document.toJS() ?? {};
  const { ignore = [], ...others } = (isRecord(content) ? content : { "": content }) as { ignore?: unknown };
  // A misspelt member would ignore nothing, and nobody would notice.
  const [stranger] = Object.keys(others);
  if (stranger !== undefined || !Array.isArray(ignore)) throw broken(1, FORM);
  return ignore.map((each: unknown, at) => {
    const { line } = positionOf(["ignore", at]);
    const { check, reason, until, ...rest } = (isRecord(each) ? each : {}) as Record<string, unknown>;
    if (typeof check !== "string" || !known.includes(check))
      throw broken(line, `there is no check ${String(check)}; \`sandbox check explain\` lists them.`);
    if (typeof reason !== "string" || reason.trim() === "") throw broken(line, `${check} is ignored without a reason.`);
    if (typeof until !== "string" || !/^\d{4}-\d\d-\d\d$/.test(until) || Number.isNaN(Date.parse(until)))
      throw broken(line, `${check} is ignored without an end. Write it as until: "2030-06-30".`);
    if (Object.keys(rest).length > 0) throw broken(line, `there is no member ${Object.keys(rest).join(", ")}.`);
    return { check, reason, until };
  });
}

const FORM = 'write it as\nignore:\n  - { check: AUTH-02, reason: "…", until: "2030-06-30" }';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
