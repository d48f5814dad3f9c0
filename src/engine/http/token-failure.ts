// An error of the token endpoint, in the form of RFC 6749.
import { GrantError, printable } from "./client.ts";
import { failure } from "./errors.ts";
import type { Answer } from "./exchange.ts";

/** The answer of the token endpoint to what was thrown. */
export function tokenFailure(reason: unknown, requestId: string): Answer {
  if (reason instanceof GrantError) {
    const { status, headers, error, message } = reason;
    return { status, headers, body: { error, error_description: message } };
  }
  const { status, headers = {}, body } = failure(reason, requestId);
  const error = status < 500 ? "invalid_request" : "server_error";
  // RFC 6749 §5.2 has 400 for every malformed request, and knows no 415.
  return {
    status: status === 415 ? 400 : status,
    headers,
    body: { error, error_description: printable((body as { message: string }).message) },
  };
}
