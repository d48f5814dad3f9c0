// The commonest refusals, each with the request that meets it: the table in docs/troubleshooting.md, and what its test does.
import { table } from "./markdown.ts";

export interface RefusalRow {
  when: string;
  status: number;
  code: string;
  meaning: string;
}

export const refusals: readonly RefusalRow[] = [
  {
    when: "no-token",
    status: 401,
    code: "UNAUTHORIZED",
    meaning:
      "No bearer token was sent, or it is unknown, revoked or expired on the world's clock. Get a new one from the token endpoint.",
  },
  {
    when: "scope-missing",
    status: 403,
    code: "UNAUTHORIZED",
    meaning:
      "The token lacks the scope of the operation. Ask for the scope in the token request; the key must have it.",
  },
  {
    when: "unknown-scope",
    status: 400,
    code: "invalid_scope",
    meaning: "The token request names a scope that the key was not granted.",
  },
  {
    when: "wrong-audience",
    status: 400,
    code: "invalid_target",
    meaning: "`audience` must be the sandbox's own base address, or one given with `--audience`.",
  },
  {
    when: "wrong-secret",
    status: 401,
    code: "invalid_client",
    meaning: "Client id or secret is unknown. `sandbox env` prints both.",
  },
  {
    when: "unknown-id",
    status: 404,
    code: "NOT_FOUND",
    meaning:
      "There is nothing of that id in the world of this token. Another world's ids look the same as ids that do not exist.",
  },
  {
    when: "unknown-path",
    status: 404,
    code: "NOT_FOUND",
    meaning: "The service does not have this path; the message names the nearest one.",
  },
  {
    when: "wrong-method",
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    meaning: "The path exists with another method; the header `Allow` names it.",
  },
  {
    when: "wrong-type",
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    meaning: "Send `Content-Type: application/json`.",
  },
  {
    when: "bad-body",
    status: 400,
    code: "BAD_REQUEST",
    meaning: "The request does not fit the specification; the message names every place.",
  },
  { when: "bad-limit", status: 400, code: "BAD_REQUEST", meaning: "`limit` is outside of its range." },
  {
    when: "bad-cursor",
    status: 400,
    code: "BAD_REQUEST",
    meaning: "A cursor must be sent back exactly as `next` was, in the same world and list.",
  },
  {
    when: "no-language",
    status: 400,
    code: "BAD_REQUEST",
    meaning: "`Accept-Language` is required when reading experiences.",
  },
  {
    when: "other-language",
    status: 406,
    code: "LANGUAGE_NOT_AVAILABLE",
    meaning: "The storefront has none of these languages; harbour-tours has en, da and de.",
  },
  {
    when: "unknown-event",
    status: 400,
    code: "EVENT_NOT_FOUND",
    meaning: "There is no event of that id in this world.",
  },
  {
    when: "unknown-item",
    status: 400,
    code: "INVALID_ITEM",
    meaning:
      "The experience of this event does not offer that variant or add-on; the message names the request that lists them.",
  },
  {
    when: "event-cancelled",
    status: 409,
    code: "EVENT_NOT_ACTIVE",
    meaning: "The event is not ACTIVE any more, or its experience is archived.",
  },
  {
    when: "past-cutoff",
    status: 409,
    code: "EVENT_PAST_CUTOFF",
    meaning: "Booking for this event has closed, by the world's clock.",
  },
  {
    when: "full",
    status: 409,
    code: "NOT_ENOUGH_RESOURCES",
    meaning: "Too few seats, tickets or shared resources are left.",
  },
  {
    when: "locked",
    status: 409,
    code: "EVENT_EXCLUSIVITY_LOCKED",
    meaning: "One booking holds the event exclusively; only it may grow, by the act `updateBooking`.",
  },
  {
    when: "final-card",
    status: 409,
    code: "GIFT_CARD_NOT_ACTIVE",
    meaning: "The gift card is EXPIRED, SPENT or VOIDED, which is final.",
  },
  {
    when: "subscribed-twice",
    status: 409,
    code: "SUBSCRIPTION_EXISTS",
    meaning:
      "Another enabled subscription has this address and one of these kinds. Delete it, or rotate its secret if it was lost.",
  },
];

export const refusalsTable = (): string =>
  table(
    ["status", "code", "what it means, and what to do"],
    refusals.map(({ status, code, meaning }) => [String(status), `\`${code}\``, meaning]),
  );
