// An error response of the sandbox, as an exception.
import type { Schemas } from "../contract/schemas.ts";

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

/** What the sandbox rejected: the status of its response, and the code and the sentence in it. */
export class SandboxError extends Error {
  readonly status: number;
  readonly code: SandboxErrorCode;
  constructor(status: number, code: SandboxErrorCode | undefined, message: string) {
    super(message);
    this.name = "SandboxError";
    this.status = status;
    this.code = code ?? "UNREADABLE_RESPONSE";
  }
}
