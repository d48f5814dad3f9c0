// An error response of the sandbox as an exception, and its message for one interface. The API reports wrong values as data, and each
// interface names them its own way.
import type { Schemas } from "../contract/schemas.ts";

/** The error codes of the token endpoint (RFC 6749 and RFC 8707). */
export const TOKEN_ERRORS = [
  "invalid_request",
  "invalid_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "server_error",
] as const;

/**
 * The code of an error: a code of the sandbox or its token endpoint, or `UNREADABLE_RESPONSE` for an error response of another program. A
 * fault with a custom code causes other codes.
 */
export type SandboxErrorCode = Schemas["ErrorCode"] | (typeof TOKEN_ERRORS)[number] | "UNREADABLE_RESPONSE";

/**
 * An error response of the sandbox, with its status, code and message. `path` or `parameter` names the first wrong value of the request as
 * the control API does; `violations` lists all of them.
 */
export class SandboxError extends Error {
  readonly status: number;
  readonly code: SandboxErrorCode;
  readonly path: string | undefined;
  readonly parameter: string | undefined;
  readonly violations: readonly InputError[];
  readonly list: string | undefined;
  constructor(status: number, code: SandboxErrorCode | undefined, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "SandboxError";
    this.status = status;
    this.code = code ?? "UNREADABLE_RESPONSE";
    this.path = details.path;
    this.parameter = details.parameter;
    this.violations = details.violations ?? [];
    this.list = details.list;
  }
}

export type InputError = Schemas["InputError"];
/** The parts of an error of the control API without its code. */
export interface ReportedError extends ErrorDetails {
  message: string;
}

interface ErrorDetails {
  path?: string | undefined;
  parameter?: string | undefined;
  violations?: readonly InputError[] | undefined;
  list?: string | undefined;
}

/** Names wrong values, and requests that list the valid values, in the terms of an interface. */
export interface ErrorNames {
  value(error: InputError): string;
  /** Returns undefined if the interface has no such list. */
  list(request: string): string | undefined;
}

export function formatError({ message, violations = [], list = "" }: ReportedError, names: ErrorNames): string {
  const problems = violations.map((violation) => `${names.value(violation)}: ${violation.problem}`);
  const sentence = problems.length === 0 ? message : problems.join(" ");
  const where = names.list(list);
  return where === undefined ? sentence : `${sentence} ${where} lists them.`;
}

/** Returns the name of the parameter, or the path in the body, which is empty for the whole body. */
export function nameMember({ path = "", parameter }: InputError): string {
  if (parameter !== undefined) return parameter;
  const [section, ...names] = path.split(".");
  return section === "body" ? names.join(".") : path;
}
