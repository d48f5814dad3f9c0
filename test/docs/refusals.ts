// The commonest refusals, each with the request that meets it: the table in docs/troubleshooting.md, and what its test does.
import { table } from "./markdown.ts";

/** The name of the request in the test, the status with the code, and the meaning. */
const rows: [when: string, answer: string, meaning: string][] = [
  [
    "no-token",
    "401 UNAUTHORIZED",
    "No bearer token was sent, or it is unknown, revoked or expired on the world's clock. Get a new one from the token endpoint.",
  ],
  [
    "scope-missing",
    "403 UNAUTHORIZED",
    "The token lacks the scope of the operation. Ask for the scope in the token request; the key must have it.",
  ],
  ["unknown-scope", "400 invalid_scope", "The token request names a scope that the key was not granted."],
  [
    "wrong-audience",
    "400 invalid_target",
    "`audience` must be the sandbox's own base address, or one given with `--audience`.",
  ],
  ["wrong-secret", "401 invalid_client", "Client id or secret is unknown. `sandbox env` prints both."],
  [
    "unknown-id",
    "404 NOT_FOUND",
    "There is nothing of that id in the world of this token. Another world's ids look the same as ids that do not exist.",
  ],
  ["unknown-path", "404 NOT_FOUND", "The service does not have this path; the message names the nearest one."],
  ["wrong-method", "405 METHOD_NOT_ALLOWED", "The path exists with another method; the header `Allow` names it."],
  ["wrong-type", "415 UNSUPPORTED_MEDIA_TYPE", "Send `Content-Type: application/json`."],
  ["bad-body", "400 BAD_REQUEST", "The request does not fit the specification; the message names every place."],
  ["bad-limit", "400 BAD_REQUEST", "`limit` is outside of its range."],
  ["bad-cursor", "400 BAD_REQUEST", "A cursor must be sent back exactly as `next` was, in the same world and list."],
  ["no-language", "400 BAD_REQUEST", "`Accept-Language` is required when reading experiences."],
  [
    "other-language",
    "406 LANGUAGE_NOT_AVAILABLE",
    "The storefront has none of these languages; harbour-tours has en, da and de.",
  ],
  ["unknown-event", "400 EVENT_NOT_FOUND", "There is no event of that id in this world."],
  [
    "unknown-item",
    "400 INVALID_ITEM",
    "The experience of this event does not offer that variant or add-on; the message names the request that lists them.",
  ],
  ["event-cancelled", "409 EVENT_NOT_ACTIVE", "The event is not ACTIVE any more, or its experience is archived."],
  ["past-cutoff", "409 EVENT_PAST_CUTOFF", "Booking for this event has closed, by the world's clock."],
  ["full", "409 NOT_ENOUGH_RESOURCES", "Too few seats, tickets or shared resources are left."],
  [
    "locked",
    "409 EVENT_EXCLUSIVITY_LOCKED",
    "One booking holds the event exclusively; only it may grow, by the act `updateBooking`.",
  ],
  ["final-card", "409 GIFT_CARD_NOT_ACTIVE", "The gift card is EXPIRED, SPENT or VOIDED, which is final."],
  [
    "subscribed-twice",
    "409 SUBSCRIPTION_EXISTS",
    "Another enabled subscription has this address and one of these kinds. Delete it, or rotate its secret if it was lost.",
  ],
];

export const refusals = rows.map(([when, answer, meaning]) => {
  const [status, code] = answer.split(" ") as [string, string];
  return { when, status: Number(status), code, meaning };
});

export const refusalsTable = (): string =>
  table(
    ["status", "code", "what it means, and what to do"],
    refusals.map(({ status, code, meaning }) => [String(status), `\`${code}\``, meaning]),
  );
