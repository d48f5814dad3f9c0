// The one place that words a failure: every thrown error becomes a status and {code, message}. Heading "Errors"; assumptions:
// error-codes, violations (the header `sandbox-violations`, cut to fit 4 KiB), no-token, scope-missing.

import { DomainError, domainErrors, inOneMessage, MOST_NAMED, type Values } from "../domain/kernel/domain-error.ts";
import { codeOf, type ErrorCode } from "../domain/kernel/error-codes.ts";
import { isQuotaError, isStoreError } from "../world/store/store.ts";
import type { Answer, Violation } from "./exchange.ts";

/** The checks of the transport under which a request is rejected; `other`: of the control surface, and what the sandbox got wrong. */
export type TransportRule =
  | "path-unknown"
  | "method-unknown"
  | "host-repeated"
  | "authorization-repeated"
  | "token-missing"
  | "token-malformed"
  | "token-unknown"
  | "token-expired"
  | "key-revoked"
  | "scope-missing"
  | "preview-operation"
  | "rate-limit"
  | "fault-injected"
  | "unavailable"
  | "body-size"
  | "body-unreadable"
  | "content-encoding"
  | "media-type"
  | "contract"
  | "response-contract"
  | "other-company"
  | "sign-in"
  | "grant-type"
  | "grant-repeated"
  | "client-missing"
  | "client-twice"
  | "basic-malformed"
  | "client-unknown"
  | "client-secret"
  | "audience"
  | "scope-not-granted"
  | "other";

/** What an error says beside its sentence: `rule` and `values` for whoever asks why. */
interface HttpErrorDetails {
  code?: ErrorCode;
  headers?: Record<string, string>;
  rule?: TransportRule;
  values?: Values;
}

/** A failure of the transport; rules throw a DomainError. Its message is read by the client. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly rule: TransportRule;
  readonly values: Values;
  constructor(status: number, message: string, details: HttpErrorDetails = {}) {
    super(message);
    const { code = codeOf(status), headers = {}, rule = "other", values = {} } = details;
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.rule = rule;
    this.values = values;
  }
}

/** A request that breaks its contract: one 400 that names every violation. */
export class ContractError extends HttpError {
  readonly violations: readonly Violation[];
  constructor(violations: readonly Violation[], count = violations.length, more = false) {
    const named = violations.slice(0, MOST_NAMED);
    const sentences = named.map(({ message }) => message);
    // `count` may be larger than the list: only the first are worded.
    super(400, inOneMessage(sentences, count, more), {
      headers: { "sandbox-violations": headerOf(named) },
      rule: "contract",
    });
    this.violations = named;
  }
}

/** Bytes: what common servers and proxies let through. */
const HEADER_LIMIT = 4096;

/** As many violations as fit into 4 KiB of ASCII. */
function headerOf(violations: readonly Violation[]): string {
  // A header can't hold other characters; JSON can write them as escapes.
  const ascii = violations.map((violation) =>
    JSON.stringify(violation).replace(
      /[^\x20-\x7e]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
  let fits = 0;
  // Two for the brackets, one for each comma.
  for (let length = 2; fits < ascii.length && length + (ascii[fits]?.length ?? 0) + 1 <= HEADER_LIMIT; fits++)
    length += (ascii[fits]?.length ?? 0) + 1;
  return `[${ascii.slice(0, fits).join(",")}]`;
}

/** The answer to a thrown error; an internal error is a 500 without details. */
export function failure(reason: unknown, requestId: string): Answer {
  if (reason instanceof HttpError) return answerOf(reason.status, reason.code, reason.message, reason.headers);
  if (reason instanceof DomainError) {
    // Some codes are ours alone, and are answered by one that the service has.
    const code = (domainErrors[reason.code].answered_as ?? reason.code) as ErrorCode;
    return answerOf(reason.status, code, reason.message, violationsIn(reason));
  }
  if (reason instanceof Error && reason.name === "FixtureError") return answerOf(400, codeOf(400), reason.message);
  if (isQuotaError(reason)) return answerOf(409, "QUOTA_EXCEEDED", reason.message);
  // Nothing was changed, so it may be sent again.
  if (isStoreError(reason)) return answerOf(503, codeOf(503), reason.message, { "retry-after": "1" });
  return answerOf(500, codeOf(500), `Internal error. See \`sandbox logs\` for request ${requestId}; please report it.`);
}

/** A rule that rejects a value of the request begins its sentence with the path of the value. */
function violationsIn({ status, code, sentences }: DomainError): Record<string, string> {
  // Other statuses are about the state, not about a value.
  if (status !== 400) return {};
  const violations = sentences.map((message): Violation => {
    const path = /^(?:body|query|path|header)(?:\.[\w-]+)*/.exec(message)?.[0];
    return { location: path?.split(".") ?? [], code, message, severity: "Error" };
  });
  return { "sandbox-violations": headerOf(violations) };
}

function answerOf(status: number, code: ErrorCode, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: { code, message } };
}
