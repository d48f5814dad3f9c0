// A rule rejects a change with one of the errors of spec/errors.yaml: its code, its status, and its sentence with the values of the case.
import errors from "../../../contract/generated/errors.json" with { type: "json" };

/** What an error names. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** What spec/errors.yaml has of an error. */
export interface ErrorRow {
  status: number;
  message: string;
  /** Its code in an answer, where that is another. */
  answered_as?: string;
  rests_on?: readonly { assumption?: string; sentence?: string }[];
  looked?: string;
}

export const domainErrors = errors.rules;

export type DomainErrorCode = keyof typeof domainErrors;

/** A message names at most this many violations, and the number of the others. */
export const MOST_NAMED = 100;

/** What a message says of the value whose path it begins with. */
export function omitPath(path: string, message: string): string {
  const rest = message.slice(path.length);
  return rest.startsWith(": ") ? rest.slice(2) : rest.trimStart();
}

export function joinMessages(sentences: readonly string[], count = sentences.length): string {
  const rest = count > MOST_NAMED ? [`And ${count - MOST_NAMED} more.`] : [];
  return [...sentences.slice(0, MOST_NAMED), ...rest].join(" ");
}

/** A rule rejects a change: thrown, so that the transaction is rolled back. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly status: number;
  /** What each sentence names. */
  readonly values: readonly Values[];
  /** One sentence for each violation, which begins with the path of the value, where the error has one. */
  readonly sentences: readonly { path: string | undefined; message: string }[];
  constructor(code: DomainErrorCode, values: Values | readonly Values[], status?: number) {
    const { status: defaultStatus, message } = domainErrors[code];
    const all = [values].flat();
    const sentences = all.slice(0, MOST_NAMED).map((each: Values) => ({
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
    this.values = all.slice(0, MOST_NAMED);
    this.sentences = sentences;
  }
}

export function reject(code: DomainErrorCode, values: Values | readonly Values[] = {}): never {
  throw new DomainError(code, values);
}

/** Throws a 400 about one value. `path`: where the value is in the request; `what`: the rest of the sentence. */
export const rejectInput = (path: string, what: string): never => reject("INVALID_INPUT", { path, what });

/** The record, or the 404 that names it. */
export function found<R>(record: R | undefined, kind: string, id: string): R {
  return record ?? reject("NOT_FOUND", { kind, id });
}
