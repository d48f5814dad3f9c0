// The checks of a rule, reported to whoever asks why: what each looked at, whether it passed. Normally nobody asks, and
// then nothing is worded.
import { type DomainErrorCode, reject, type Values } from "./domain-error.ts";

export interface Looked {
  name: string;
  /** Null: it was not reached. */
  passed: boolean | null;
  looked_at: string;
}

export interface Traced {
  trace?: ((looked: Looked) => void) | undefined;
}

/** One check of a list, in the order in which they are made. */
export interface Check<Subject> {
  code: DomainErrorCode;
  looked(subject: Subject): string;
  /** The values of the error; undefined when nothing stands against the change. */
  violation(subject: Subject): Values | undefined;
}

/** The first check that fails rejects. `behind`: the checks that come after these. */
export function mustPass<Subject>(
  { trace }: Traced,
  checks: readonly Check<Subject>[],
  subject: Subject,
  behind: readonly DomainErrorCode[] = [],
): void {
  for (const [index, { code, looked, violation }] of checks.entries()) {
    const values = violation(subject);
    trace?.({ name: code, passed: values === undefined, looked_at: looked(subject) });
    if (values === undefined) continue;
    const rest = [...checks.slice(index + 1).map((check) => check.code), ...behind];
    for (const name of trace ? rest : []) trace?.({ name, passed: null, looked_at: "" });
    reject(code, values);
  }
}

/** One check: rejects when there are values, which say what stands against the change. With several under one code, which of them it is. */
export function must(
  { trace }: Traced,
  named: DomainErrorCode | readonly [code: DomainErrorCode, about: string],
  values: Values | false | undefined,
  looked: () => string,
): void {
  const [code, about] = typeof named === "string" ? [named] : named;
  trace?.({ name: about === undefined ? code : `${code}: ${about}`, passed: !values, looked_at: looked() });
  if (values) reject(code, values);
}
