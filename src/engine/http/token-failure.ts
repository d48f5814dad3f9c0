// Creates error responses of the token endpoint in the format of RFC 6749.
import { GrantError, toPrintable } from "./client.ts";
import { toFailure } from "./errors.ts";
import type { Answer } from "./exchange.ts";

export function toTokenFailure(reason: unknown, requestId: string): Answer {
  const { status, headers = {}, body } = toFailure(reason, requestId);
  const otherError = status < 500 ? "invalid_request" : "server_error";
  const error = reason instanceof GrantError ? reason.error : otherError;
  const error_description = toPrintable((body as { message: string }).message);
  // RFC 6749 §5.2 has 400 for every malformed request, and no 415.
  return { status: status === 415 ? 400 : status, headers, body: { error, error_description } };
}
