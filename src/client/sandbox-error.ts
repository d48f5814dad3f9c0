// An error response of the sandbox, as an exception.
import type { Schemas } from "../contract/schemas.ts";
import type { ErrorDetails, InputError } from "./format-error.ts";

/** What the token endpoint calls its errors, as RFC 6749 and RFC 8707 do. */
export const TOKEN_ERRORS = [
  "invalid_request",
  "invalid_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "server_error",
] as const;

/**
 * What an error is called: the codes of the sandbox, those of its token endpoint, and one of the library: `UNREADABLE_RESPONSE` is an
 * error response of something else. Only a fault that was armed with a code of its own gives another.
 */
export type SandboxErrorCode = Schemas["ErrorCode"] | (typeof TOKEN_ERRORS)[number] | "UNREADABLE_RESPONSE";

/**
 * What the sandbox rejected: the status of its response, and the code and the sentence in it. `path` or `parameter` names the first wrong
 * value of the request as the control API does; `violations` has all of them.
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
