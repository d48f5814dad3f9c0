// Maps statuses to error codes and back. Heading "Errors"; assumption: error-codes.

import type { Schemas } from "../../../contract/schemas.ts";
import { domainErrors } from "./domain-error.ts";

/** Codes of errors; the control document lists them all. */
export type ErrorCode = Schemas["ErrorCode"];

const codes: Record<number, ErrorCode> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "UNAUTHORIZED",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  406: "LANGUAGE_NOT_AVAILABLE",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
};

/** Returns the code of a status. A status without its own code has that of its class. */
export function toCode(status: number): ErrorCode {
  return codes[status] ?? (status < 500 ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR");
}

/** The status of each code of the service. The order is reversed, because UNAUTHORIZED is a 401 before it is a 403. */
const statuses: ReadonlyMap<string, number> = new Map([
  ...Object.entries(domainErrors).map(([code, { status }]): [string, number] => [code, status]),
  ...Object.entries(codes)
    .reverse()
    .map(([status, code]): [string, number] => [code, Number(status)]),
  ["NOT_AVAILABLE_IN_PRODUCTION", 404],
]);

/** Returns undefined if the service has no such code. */
export const getStatus = (code: string): number | undefined => statuses.get(code);
