// An error response of the sandbox, as an exception.
import type { Schemas } from "../contract/schemas.ts";
import type { ErrorDetails, InputError } from "./format-error.ts";

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
