// Runs the checks of a rule, and reports each to a trace: what it looked at, and whether it passed. Without a trace, no text
// is formatted.
import { type DomainErrorCode, reject, type Values } from "./domain-error.ts";

export interface CheckResult {
  name: string;
  /** Null means that the check was not reached. */
  passed: boolean | null;
  looked_at: string;
}

export interface Traceable {
  trace?: ((looked: CheckResult) => void) | undefined;
}

/** A check of an ordered list. */
export interface Check<Subject> {
  code: DomainErrorCode;
  describe(subject: Subject): string;
  /** The values of the error; undefined when the check passes. */
  findViolation(subject: Subject): Values | undefined;
}

/** Rejects with the first check that fails. `behind` lists the checks that follow these. */
export function mustPass<Subject>(
  { trace }: Traceable,
  checks: readonly Check<Subject>[],
  subject: Subject,
  behind: readonly DomainErrorCode[] = [],
): void {
  for (const [index, { code, describe, findViolation }] of checks.entries()) {
    const values = findViolation(subject);
    trace?.({ name: code, passed: values === undefined, looked_at: describe(subject) });
    if (values === undefined) continue;
    const rest = [...checks.slice(index + 1).map((check) => check.code), ...behind];
    for (const name of trace ? rest : []) trace?.({ name, passed: null, looked_at: "" });
    reject(code, values);
  }
}

/**
 * Runs one check: rejects if there are values, which are those of the error. `named` says which check it is when
 * several have one code.
 */
export function must(
  { trace }: Traceable,
  named: DomainErrorCode | readonly [code: DomainErrorCode, about: string],
  values: Values | false | undefined,
  looked: () => string,
): void {
  const [code, about] = typeof named === "string" ? [named] : named;
  trace?.({ name: about === undefined ? code : `${code}: ${about}`, passed: !values, looked_at: looked() });
  if (values) reject(code, values);
}
