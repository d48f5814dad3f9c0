// Converts errors to a status and {code, message}. Heading "Errors"; assumptions: error-codes, violations (the header
// `sandbox-violations`, limited to 4 KiB), no-token, scope-missing.
import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import {
  DomainError,
  domainErrors,
  joinMessages,
  MAX_LISTED_VIOLATIONS,
  omitPath,
  type Values,
} from "../domain/kernel/domain-error.ts";
import { type ErrorCode, toCode } from "../domain/kernel/error-codes.ts";
import { isQuotaError, isStoreError } from "../log/store-error.ts";
import { type Answer, createViolation, type Exchange, type Rejection, type Violation } from "./exchange.ts";

type PathRule = "path-unknown" | "method-unknown" | "host-repeated" | "authorization-repeated";
type TokenRule = "token-missing" | "token-malformed" | "token-unknown" | "token-expired" | "key-revoked";
type AccessRule = "scope-missing" | "preview-operation" | "rate-limit" | "other-company" | "sign-in";
type BodyRule = "body-size" | "body-unreadable" | "content-encoding" | "media-type";
type ContractRule = "contract" | "response-contract";
type GrantRule = "grant-type" | "grant-repeated" | "audience" | "scope-not-granted";
type ClientRule = "client-missing" | "client-twice" | "client-unknown" | "client-secret" | "basic-malformed";
type OtherRule = "fault-injected" | "unavailable" | "other";

/** The checks of the transport that reject a request. `other` covers the control API and errors of the sandbox. */
export type TransportRule =
  | (PathRule | TokenRule | AccessRule | BodyRule)
  | (ContractRule | GrantRule | ClientRule | OtherRule);

/** `why` uses `rule` and `values`. `list`: the control request that lists the existing things. */
interface HttpErrorDetails {
  code?: ErrorCode;
  headers?: Record<string, string>;
  rule?: TransportRule;
  values?: Values;
  list?: string;
}

/** A failure of the transport, with a message for the client. Rules throw a DomainError. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly rule: TransportRule;
  readonly values: Values;
  readonly list: string | undefined;
  constructor(status: number, message: string, details: HttpErrorDetails = {}) {
    super(message);
    const { code = toCode(status), headers = {}, rule = "other", values = {} } = details;
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.rule = rule;
    this.values = values;
    this.list = details.list;
  }
}

/** A 400 that names every violation of the contract. */
export class ContractError extends HttpError {
  readonly violations: readonly Violation[];
  /** `count`: the number of all violations, of which only the first are described. `remark`: a final sentence. */
  constructor(violations: readonly Violation[], count = violations.length, remark?: string) {
    const named = violations.slice(0, MAX_LISTED_VIOLATIONS);
    const sentences = named.map(({ message }) => message);
    super(400, [joinMessages(sentences, count), remark ?? []].flat().join(" "), {
      headers: { "sandbox-violations": formatHeader(named) },
      rule: "contract",
    });
    this.violations = named;
  }
}

/** Bytes. Common servers and proxies accept headers of this size. */
const HEADER_LIMIT = 4096;

/** Formats as many violations as fit into the limit. */
function formatHeader(violations: readonly Violation[]): string {
  // A header has only ASCII, and JSON can escape other characters.
  const ascii = violations.map((violation) =>
    JSON.stringify(violation).replace(
      /[^\x20-\x7e]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
  let list = "";
  for (const each of ascii) {
    const longer = list === "" ? each : `${list},${each}`;
    // Two for the brackets.
    if (longer.length + 2 > HEADER_LIMIT) break;
    list = longer;
  }
  return `[${list}]`;
}

/** Creates the response to a thrown error. An internal error is a 500 without details. */
export function toFailure(reason: unknown, requestId: string): Answer {
  if (reason instanceof HttpError) return createFailure(reason.status, reason.code, reason.message, reason.headers);
  if (reason instanceof DomainError) {
    // The service does not have some of our codes.
    const code = (domainErrors[reason.code].answered_as ?? reason.code) as ErrorCode;
    return createFailure(reason.status, code, reason.message, createViolationHeader(findViolations(reason)));
  }
  if (reason instanceof Error && reason.name === "FixtureError") return createFailure(400, toCode(400), reason.message);
  if (isQuotaError(reason)) return createFailure(409, "QUOTA_EXCEEDED", reason.message);
  // Nothing was changed, so the request may be sent again.
  if (isStoreError(reason)) return createFailure(503, toCode(503), reason.message, { "retry-after": "1" });
  const message = `Internal error. See \`sandbox logs\` for request ${requestId}; please report it.`;
  return createFailure(500, toCode(500), message);
}

const createViolationHeader = (violations: readonly Violation[]): Record<string, string> =>
  violations.length === 0 ? {} : { "sandbox-violations": formatHeader(violations) };

function findViolations(reason: unknown): readonly Violation[] {
  if (reason instanceof ContractError) return reason.violations;
  // Other statuses are about the state and not about an input value.
  if (!(reason instanceof DomainError) || reason.status !== 400) return [];
  const { code, sentences } = reason;
  return sentences.map(({ path, message }) => createViolation(path?.split(".") ?? [], code, message));
}

/** Adds the invalid fields as data, so that each interface can use its own names for them. */
export function toControlFailure(reason: unknown, requestId: string): Answer {
  const answer = toFailure(reason, requestId);
  const violations = findViolations(reason)
    .filter(({ location }) => location.length > 0)
    .map(toInputError);
  const { path, parameter } = violations[0] ?? {};
  const list = reason instanceof HttpError ? reason.list : undefined;
  const found = violations.length === 0 ? undefined : violations;
  return { ...answer, body: { ...(answer.body as object), ...optional({ path, parameter, violations: found, list }) } };
}

/** The message of a violation begins with its location, which interfaces name differently. */
function toInputError({ location, code, message }: Violation): Schemas["InputError"] {
  const [section = "", ...names] = location;
  const name = names.join(".");
  const input = ["path", "query", "header"].includes(section) ? { parameter: name } : { path: location.join(".") };
  const problem = code === "required" ? "a value is required." : omitPath(location.join("."), message);
  return { ...input, problem };
}

function createFailure(status: number, code: ErrorCode, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: { code, message } };
}

export function toRejection(
  reason: unknown,
  { violations }: Pick<Exchange, "violations">,
  { status, body }: Answer,
): Rejection {
  // Errors of the token endpoint have other names.
  const { code, error, message, error_description } = (body ?? {}) as Record<string, unknown>;
  return {
    status,
    code: String(code ?? error ?? ""),
    message: String(message ?? error_description ?? ""),
    violations,
    ...findRule(reason),
  };
}

function findRule(reason: unknown): Pick<Rejection, "rule" | "values"> {
  if (reason instanceof DomainError) return { rule: reason.code, values: reason.values };
  if (reason instanceof HttpError) return { rule: reason.rule, values: [reason.values] };
  return { rule: isStoreError(reason) ? "unavailable" : "other", values: [] };
}
