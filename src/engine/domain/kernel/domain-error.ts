// Rejects changes with the errors of spec/errors.yaml: a code, a status, and a message that is filled with values.
import errors from "../../../contract/generated/errors.ts";

/** The values that fill the message of an error. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** An error of spec/errors.yaml. */
export interface ErrorRow {
  status: number;
  message: string;
  /** The code in the response, if it differs. */
  answered_as?: string;
  rests_on?: readonly { assumption?: string; sentence?: string }[];
  looked?: string;
}

export const domainErrors = errors.rules;

export type DomainErrorCode = keyof typeof domainErrors;

/** A message lists at most this many violations, and then the number of the others. */
export const MAX_LISTED_VIOLATIONS = 100;

/** Removes the path from the beginning of a message. */
export function omitPath(path: string, message: string): string {
  const rest = message.slice(path.length);
  return rest.startsWith(": ") ? rest.slice(2) : rest.trimStart();
}

export function joinMessages(sentences: readonly string[], count = sentences.length): string {
  const rest = count > MAX_LISTED_VIOLATIONS ? [`And ${count - MAX_LISTED_VIOLATIONS} more.`] : [];
  return [...sentences.slice(0, MAX_LISTED_VIOLATIONS), ...rest].join(" ");
}

/** The error of a rule. It is thrown, so that the transaction is rolled back. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly status: number;
  /** The values of each sentence. */
  readonly values: readonly Values[];
  /** A sentence per violation. It begins with the path of the value if the error has one. */
  readonly sentences: readonly { path: string | undefined; message: string }[];
  constructor(code: DomainErrorCode, values: Values | readonly Values[], status?: number) {
    const { status: defaultStatus, message } = domainErrors[code];
    const all = [values].flat();
    const sentences = all.slice(0, MAX_LISTED_VIOLATIONS).map((each: Values) => ({
      path: message.startsWith("{path}") ? String(each.path) : undefined,
      message: message.replace(/\{(\w+)\}/g, (_, name: string) => String(each[name] ?? "")),
    }));
    super(
      joinMessages(
        sentences.map((sentence) => sentence.message),
        all.length,
      ),
    );
    this.name = "DomainError";
    this.code = code;
    this.status = status ?? defaultStatus;
    this.values = all.slice(0, MAX_LISTED_VIOLATIONS);
    this.sentences = sentences;
  }
}

export function reject(code: DomainErrorCode, values: Values | readonly Values[] = {}): never {
  throw new DomainError(code, values);
}

/**
 * Throws a 400 error about one value. `path` is the place of the value in the request; `what` is the rest of the
 * sentence.
 */
export const rejectInput = (path: string, what: string): never => reject("INVALID_INPUT", { path, what });

/** Returns the record, or rejects with a 404 that names it. */
export function mustExist<R>(record: R | undefined, kind: string, id: string): R {
  return record ?? reject("NOT_FOUND", { kind, id });
}
