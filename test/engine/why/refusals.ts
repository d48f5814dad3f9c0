// Refusals of the public API, of the token endpoint and of acts, each with the rule that has to be named, what it has to rest on,
// and what its smallest change has to say or set.
import { anna, type Input, type TestWorld } from "../../sandbox.ts";

export interface Refusal {
  name: string;
  /** Other options of the sandbox than the usual ones. */
  settings?: { maturity?: "production" | "preview"; rateLimit?: number };
  before?(world: TestWorld): Promise<unknown>;
  /** An operation, an act (`act cancelBooking`), or an address by hand. */
  request: string;
  input?: Input;
  /** Of the token; "none" sends none. */
  token?(world: TestWorld): Promise<string | null>;
  status: number;
  rule: string;
  rests_on: string | RegExp;
  /** The text of the smallest change, or of the advice. */
  smallest?: RegExp;
  /** What it sets, by path. */
  set?: Record<string, unknown>;
  tried?: boolean;
}

/**
 * The status with the rule, and a description where several rows have the same rule; the request; what the rule rests on; what the smallest
 * change says or sets; and the rest.
 */
type Row = readonly [
  outcome: string,
  request: string,
  rests_on: Refusal["rests_on"],
  expected: RegExp | Record<string, unknown>,
  more?: Partial<Refusal>,
];

function toRefusal([name, request, rests_on, expected, more]: Row): Refusal {
  const [, status, rule = ""] = /^(\d+) ([\w-]+)/.exec(name) ?? [];
  const smallest = expected instanceof RegExp ? { smallest: expected } : { set: expected };
  return { name, request, status: Number(status), rule, rests_on, ...smallest, ...more };
}

export const item = (type_id: string, quantity = 1, item_type = "VARIANT") => ({ type_id, item_type, quantity });

const booking = (event_id: string, ...items: object[]): Input => ({
  body: { event_id, customer: anna, locale: "da", items: items.length > 0 ? items : [item("var-adult")] },
});

const armed = (fault: object) => (world: TestWorld) => world.control("put", "faults", { faults: [fault] });
const assume = (values: object) => (world: TestWorld) => world.control("put", "assumptions", values);
const hook = (...event_types: string[]) => ({ url: "http://127.0.0.1:9/hooks", event_types, state: "ENABLED" });

/** A token that was good once. */
let expired = "";

const refusalRows: readonly Row[] = [
  // Around the operation.
  ["404 path-unknown", "GET /v1/bookngs", "unknown-path", /\/v1\/bookings/, { tried: false }],
  ["405 method-unknown", "PATCH /v1/bookings", "error-codes", /GET, .*POST/, { tried: false }],
  ["401 token-missing", "listBookings", "no-token", /POST \/oauth2\/token/, { token: async () => null, tried: true }],
  ["401 token-unknown", "listBookings", /RFC 6750/, /new token/, { token: async () => "A".repeat(43) }],
  ["401 token-malformed", "listBookings", "token-format", /new token/, { token: async () => "not a token" }],
  [
    "401 token-expired",
    "listBookings",
    "token-lifetime",
    /new token/,
    {
      before: (world) =>
        world.token().then((token) => {
          expired = token;
          return world.control("post", "clock/advance", { by: "PT2H" });
        }),
      token: async () => expired,
      tried: true,
    },
  ],
  [
    "401 key-revoked",
    "token",
    /revoked key/,
    /createKey/,
    { before: (world) => world.act("revokeKey", { client_id: world.clientId }), input: { body: {} }, tried: false },
  ],
  [
    "403 scope-missing",
    "createBooking",
    "scopes",
    /booking\.write/,
    { token: (world) => world.token(["booking.read"]), input: booking("evt-evening"), tried: true },
  ],
  [
    "404 preview-operation",
    "listEvents",
    "preview-production",
    /--maturity preview/,
    { settings: { maturity: "production" }, tried: false },
  ],
  [
    "429 rate-limit",
    "getMe",
    "rate-limit",
    /Wait \d+ seconds/,
    { settings: { rateLimit: 1 }, before: (world) => world.call("getMe"), tried: false },
  ],
  [
    "503 fault-injected",
    "listBookings",
    /can fail before/,
    /fault clear/,
    { before: armed({ operation: "listBookings", status: 503, times: 1 }), tried: false },
  ],
  [
    "415 media-type",
    "createBooking",
    "error-codes",
    { "header.content-type": "application/json" },
    { input: { body: JSON.stringify(booking("evt-evening").body), headers: { "content-type": "text/plain" } } },
  ],
  [
    "413 body-size",
    "createBooking",
    "body-size",
    /1048576 bytes/,
    { input: { body: { note: "x".repeat(1024 * 1024) } }, tried: false },
  ],
  // The contract.
  [
    "400 contract: a limit that is too high",
    "listBookings",
    "violations",
    { "query.limit": 100 },
    { input: { query: { limit: 500 } } },
  ],
  [
    "400 contract: a parameter sent twice",
    "listBookings",
    "violations",
    { "query.limit": 2 },
    { input: { query: "limit=2&limit=3" } },
  ],
  [
    "400 contract: members that are missing",
    "createBooking",
    "violations",
    /body\.customer/,
    { input: { body: { event_id: "evt-evening", items: [item("var-adult")] } } },
  ],
  [
    "400 contract: a body that is no JSON",
    "createBooking",
    "violations",
    /not valid JSON/,
    { input: { body: "{", headers: { "content-type": "application/json" } } },
  ],
  [
    "400 INVALID_INPUT: a cursor that was changed",
    "listBookings",
    "violations",
    { "query.cursor": null },
    { input: { query: { cursor: "AAAA" } } },
  ],
  [
    "400 contract: a member that nobody documented, in a strict world",
    "createBooking",
    "violations",
    { "body.colour": null },
    {
      before: assume({ "unknown-body-field": "refuse" }),
      input: { body: { ...(booking("evt-evening").body as object), colour: "red" } },
    },
  ],
  [
    "400 contract: no Accept-Language",
    "getExperience",
    "violations",
    /accept-language/i,
    { input: { path: { experienceId: "exp-canal" }, headers: { "accept-language": "" } } },
  ],
  [
    "406 LANGUAGE_NOT_AVAILABLE",
    "getExperience",
    "language-mismatch",
    /a language of the storefront: \w\w, /,
    { input: { path: { experienceId: "exp-canal" }, headers: { "accept-language": "fr" } }, tried: false },
  ],
  // The rules.
  [
    "404 NOT_FOUND",
    "getBooking",
    "other-company",
    { "path.bookingId": "bkg-wedding" },
    { input: { path: { bookingId: "bkg-weding" } } },
  ],
  [
    "400 EVENT_NOT_FOUND",
    "createBooking",
    "booking-event-unknown",
    { "body.event_id": "evt-evening" },
    { input: booking("evt-evning") },
  ],
  [
    "400 INVALID_ITEM",
    "createBooking",
    "booking-item-unknown",
    /variant/,
    { input: booking("evt-evening", item("add-blanket", 1, "ADDON")) },
  ],
  [
    "409 EVENT_NOT_ACTIVE",
    "createBooking",
    "booking-check-order",
    /accepts bookings/,
    { input: booking("evt-cancelled") },
  ],
  [
    "409 EVENT_PAST_CUTOFF",
    "createBooking",
    "booking-check-order",
    /accepts bookings/,
    { input: booking("evt-past-cutoff", item("var-dinner")) },
  ],
  [
    "409 EVENT_EXCLUSIVITY_LOCKED",
    "createBooking",
    "booking-check-order",
    /accepts bookings/,
    { input: booking("evt-locked", item("var-dinner")) },
  ],
  [
    "409 NOT_ENOUGH_RESOURCES: more seats than are left",
    "createBooking",
    "booking-resources",
    { "body.items.0.quantity": 1 },
    { input: booking("evt-last-seat", item("var-adult", 3)) },
  ],
  [
    "409 NOT_ENOUGH_RESOURCES: an event that is sold out",
    "createBooking",
    "booking-resources",
    /accepts bookings/,
    { input: booking("evt-sold-out") },
  ],
  [
    "400 EXPIRY_NOT_LATER",
    "extendGiftCardExpiry",
    "gift-card-extend-codes",
    /Any instant after/,
    { input: { path: { giftCardId: "gc-active" }, body: { expires_at: "2030-01-01T00:00:00Z" } } },
  ],
  [
    "409 GIFT_CARD_NOT_ACTIVE",
    "extendGiftCardExpiry",
    "gift-card-extend-codes",
    /ACTIVE card/,
    { input: { path: { giftCardId: "gc-spent" }, body: { expires_at: "2039-01-01T00:00:00Z" } } },
  ],
  [
    "409 SUBSCRIPTION_EXISTS",
    "createWebhookSubscription",
    "subscription-conflict",
    { "body.event_types": ["v1.event.created"] },
    {
      before: (world) => world.call("createWebhookSubscription", { body: hook("v1.booking.created") }),
      input: { body: { ...hook("v1.booking.created"), event_types: ["v1.booking.created", "v1.event.created"] } },
    },
  ],
  [
    "400 INVALID_INPUT: a url that nothing is sent to",
    "createWebhookSubscription",
    "violations",
    /body\.url/,
    { input: { body: { ...hook("v1.booking.created"), url: "http://169.254.169.254/" } } },
  ],
  // The token endpoint.
  [
    "400 scope-not-granted: scopes with a comma between",
    "token",
    "token-scope-unknown",
    { "body.scope": "booking.read booking.write" },
    { input: { body: { scope: "booking.read,booking.write" } } },
  ],
  [
    "400 grant-type",
    "token",
    /client credentials grant/,
    { "body.grant_type": "client_credentials" },
    { input: { body: { grant_type: "password" } } },
  ],
  [
    "400 audience",
    "token",
    "token-audience",
    /audience=http/,
    { input: { body: { audience: "https://elsewhere.example" } } },
  ],
  [
    "400 scope-not-granted: a scope that the key was not granted",
    "token",
    "token-scope-unknown",
    { "body.scope": "booking.read booking.write" },
    { input: { body: { scope: "booking.read booking.wrte" } } },
  ],
  [
    "401 client-secret",
    "token",
    /RFC 6749/,
    /sandbox env/,
    { input: { body: { client_secret: "wrong" } }, tried: false },
  ],
];

/** The same of acts. */
const actRows: readonly Row[] = [
  [
    "409 CAPACITY_BELOW_SOLD",
    "act updateEvent",
    /reserved/,
    /at least/,
    { input: { body: { event_id: "evt-sold-out", capacity: 1 } } },
  ],
  [
    "409 SAME_EVENT",
    "act moveBooking",
    "booking-move",
    /same experience/,
    {
      before: async (world) => {
        const { body } = await world.call("getBooking", { path: { bookingId: "bkg-wedding" } });
        (refusedActs[1]?.input?.body as { event_id: string }).event_id = body.event_id;
      },
      input: { body: { booking_id: "bkg-wedding", event_id: "evt-canal-14" } },
    },
  ],
  ["409 ID_TAKEN", "act addLocation", "ids", { "body.id": null }, { input: { body: { id: "loc-nyhavn" } } }],
  [
    "409 HAS_ACTIVE_BOOKINGS",
    "act deleteExperience",
    /active bookings/,
    /[Cc]ancel/,
    { input: { body: { experience_id: "exp-hudson" } } },
  ],
];

export const refusals = refusalRows.map(toRefusal);
export const refusedActs = actRows.map(toRefusal);
