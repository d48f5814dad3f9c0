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

export const item = (type_id: string, quantity = 1, item_type = "VARIANT") => ({ type_id, item_type, quantity });

const booking = (event_id: string, ...items: object[]): Input => ({
  body: { event_id, customer: anna, locale: "da", items: items.length > 0 ? items : [item("var-adult")] },
});

const armed = (fault: object) => (world: TestWorld) => world.control("put", "faults", { faults: [fault] });
const assume = (values: object) => (world: TestWorld) => world.control("put", "assumptions", values);
const hook = (...event_types: string[]) => ({ url: "http://127.0.0.1:9/hooks", event_types, state: "ENABLED" });

/** A token that was good once. */
let expired = "";

export const refusals: readonly Refusal[] = [
  // Around the operation.
  {
    name: "a path that nothing has",
    request: "GET /v1/bookngs",
    status: 404,
    rule: "path-unknown",
    rests_on: "unknown-path",
    smallest: /\/v1\/bookings/,
    tried: false,
  },
  {
    name: "a method that a path does not take",
    request: "PATCH /v1/bookings",
    status: 405,
    rule: "method-unknown",
    rests_on: "error-codes",
    smallest: /GET, .*POST/,
    tried: false,
  },
  {
    name: "no token",
    request: "listBookings",
    token: async () => null,
    status: 401,
    rule: "token-missing",
    rests_on: "no-token",
    smallest: /POST \/oauth2\/token/,
    tried: true,
  },
  {
    name: "a token that nobody issued",
    request: "listBookings",
    token: async () => "A".repeat(43),
    status: 401,
    rule: "token-unknown",
    rests_on: /RFC 6750/,
    smallest: /new token/,
  },
  {
    name: "a header that holds no token",
    request: "listBookings",
    token: async () => "not a token",
    status: 401,
    rule: "token-malformed",
    rests_on: "token-format",
    smallest: /new token/,
  },
  {
    name: "a token that has expired",
    before: (world) =>
      world.token().then((token) => {
        expired = token;
        return world.control("post", "clock/advance", { by: "PT2H" });
      }),
    token: async () => expired,
    request: "listBookings",
    status: 401,
    rule: "token-expired",
    rests_on: "token-lifetime",
    smallest: /new token/,
    tried: true,
  },
  {
    name: "a key that was revoked",
    before: (world) => world.act("revokeKey", { client_id: world.clientId }),
    request: "token",
    input: { body: {} },
    status: 401,
    rule: "key-revoked",
    rests_on: /revoked key/,
    smallest: /createKey/,
    tried: false,
  },
  {
    name: "a scope that the token lacks",
    token: (world) => world.token(["booking.read"]),
    request: "createBooking",
    input: booking("evt-evening"),
    status: 403,
    rule: "scope-missing",
    rests_on: "scopes",
    smallest: /booking\.write/,
    tried: true,
  },
  {
    name: "a preview operation in production",
    settings: { maturity: "production" },
    request: "listEvents",
    status: 404,
    rule: "preview-operation",
    rests_on: "preview-production",
    smallest: /--maturity preview/,
    tried: false,
  },
  {
    name: "too many requests",
    settings: { rateLimit: 1 },
    before: (world) => world.call("getMe"),
    request: "getMe",
    status: 429,
    rule: "rate-limit",
    rests_on: "rate-limit",
    smallest: /Wait \d+ seconds/,
    tried: false,
  },
  {
    name: "an armed fault",
    before: armed({ operation: "listBookings", status: 503, times: 1 }),
    request: "listBookings",
    status: 503,
    rule: "fault-injected",
    rests_on: /can fail before/,
    smallest: /fault clear/,
    tried: false,
  },
  {
    name: "a body of another type",
    request: "createBooking",
    input: { body: JSON.stringify(booking("evt-evening").body), headers: { "content-type": "text/plain" } },
    status: 415,
    rule: "media-type",
    rests_on: "error-codes",
    set: { "header.content-type": "application/json" },
  },
  {
    name: "a body that is too large",
    request: "createBooking",
    input: { body: { note: "x".repeat(1024 * 1024) } },
    status: 413,
    rule: "body-size",
    rests_on: "body-size",
    smallest: /1048576 bytes/,
    tried: false,
  },
  // The contract.
  {
    name: "a limit that is too high",
    request: "listBookings",
    input: { query: { limit: 500 } },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    set: { "query.limit": 100 },
  },
  {
    name: "a parameter sent twice",
    request: "listBookings",
    input: { query: "limit=2&limit=3" },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    set: { "query.limit": 2 },
  },
  {
    name: "members that are missing",
    request: "createBooking",
    input: { body: { event_id: "evt-evening", items: [item("var-adult")] } },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    smallest: /body\.customer/,
  },
  {
    name: "a body that is no JSON",
    request: "createBooking",
    input: { body: "{", headers: { "content-type": "application/json" } },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    smallest: /not valid JSON/,
  },
  {
    name: "a cursor that was changed",
    request: "listBookings",
    input: { query: { cursor: "AAAA" } },
    status: 400,
    rule: "INVALID_INPUT",
    rests_on: "violations",
    set: { "query.cursor": null },
  },
  {
    name: "a member that nobody documented, in a strict world",
    before: assume({ "unknown-body-field": "refuse" }),
    request: "createBooking",
    input: { body: { ...(booking("evt-evening").body as object), colour: "red" } },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    set: { "body.colour": null },
  },
  {
    name: "no Accept-Language",
    request: "getExperience",
    input: { path: { experienceId: "exp-canal" }, headers: { "accept-language": "" } },
    status: 400,
    rule: "contract",
    rests_on: "violations",
    smallest: /accept-language/i,
  },
  {
    name: "a language that the storefront does not speak",
    request: "getExperience",
    input: { path: { experienceId: "exp-canal" }, headers: { "accept-language": "fr" } },
    status: 406,
    rule: "LANGUAGE_NOT_AVAILABLE",
    rests_on: "language-mismatch",
    smallest: /a language of the storefront: \w\w, /,
    tried: false,
  },
  // The rules.
  {
    name: "an id that is nearly right",
    request: "getBooking",
    input: { path: { bookingId: "bkg-weding" } },
    status: 404,
    rule: "NOT_FOUND",
    rests_on: "other-company",
    set: { "path.bookingId": "bkg-wedding" },
  },
  {
    name: "an event that nobody knows",
    request: "createBooking",
    input: booking("evt-evning"),
    status: 400,
    rule: "EVENT_NOT_FOUND",
    rests_on: "booking-event-unknown",
    set: { "body.event_id": "evt-evening" },
  },
  {
    name: "add-ons only",
    request: "createBooking",
    input: booking("evt-evening", item("add-blanket", 1, "ADDON")),
    status: 400,
    rule: "INVALID_ITEM",
    rests_on: "booking-item-unknown",
    smallest: /variant/,
  },
  {
    name: "an event that is cancelled",
    request: "createBooking",
    input: booking("evt-cancelled"),
    status: 409,
    rule: "EVENT_NOT_ACTIVE",
    rests_on: "booking-check-order",
    smallest: /accepts bookings/,
  },
  {
    name: "an event that is past its cut-off",
    request: "createBooking",
    input: booking("evt-past-cutoff", item("var-dinner")),
    status: 409,
    rule: "EVENT_PAST_CUTOFF",
    rests_on: "booking-check-order",
    smallest: /accepts bookings/,
  },
  {
    name: "an event that is held exclusively",
    request: "createBooking",
    input: booking("evt-locked", item("var-dinner")),
    status: 409,
    rule: "EVENT_EXCLUSIVITY_LOCKED",
    rests_on: "booking-check-order",
    smallest: /accepts bookings/,
  },
  {
    name: "more seats than are left",
    request: "createBooking",
    input: booking("evt-last-seat", item("var-adult", 3)),
    status: 409,
    rule: "NOT_ENOUGH_RESOURCES",
    rests_on: "booking-resources",
    set: { "body.items.0.quantity": 1 },
  },
  {
    name: "an event that is sold out",
    request: "createBooking",
    input: booking("evt-sold-out"),
    status: 409,
    rule: "NOT_ENOUGH_RESOURCES",
    rests_on: "booking-resources",
    smallest: /accepts bookings/,
  },
  {
    name: "an expiry that is not later",
    request: "extendGiftCardExpiry",
    input: { path: { giftCardId: "gc-active" }, body: { expires_at: "2030-01-01T00:00:00Z" } },
    status: 400,
    rule: "EXPIRY_NOT_LATER",
    rests_on: "gift-card-extend-codes",
    smallest: /Any instant after/,
  },
  {
    name: "a card that is spent",
    request: "extendGiftCardExpiry",
    input: { path: { giftCardId: "gc-spent" }, body: { expires_at: "2039-01-01T00:00:00Z" } },
    status: 409,
    rule: "GIFT_CARD_NOT_ACTIVE",
    rests_on: "gift-card-extend-codes",
    smallest: /ACTIVE card/,
  },
  {
    name: "a subscription that is there already",
    before: (world) => world.call("createWebhookSubscription", { body: hook("v1.booking.created") }),
    request: "createWebhookSubscription",
    input: { body: { ...hook("v1.booking.created"), event_types: ["v1.booking.created", "v1.event.created"] } },
    status: 409,
    rule: "SUBSCRIPTION_EXISTS",
    rests_on: "subscription-conflict",
    set: { "body.event_types": ["v1.event.created"] },
  },
  {
    name: "a url that nothing is sent to",
    request: "createWebhookSubscription",
    input: { body: { ...hook("v1.booking.created"), url: "http://169.254.169.254/" } },
    status: 400,
    rule: "INVALID_INPUT",
    rests_on: "violations",
    smallest: /body\.url/,
  },
  // The token endpoint.
  {
    name: "scopes with a comma between",
    request: "token",
    input: { body: { scope: "booking.read,booking.write" } },
    status: 400,
    rule: "scope-not-granted",
    rests_on: "token-scope-unknown",
    set: { "body.scope": "booking.read booking.write" },
  },
  {
    name: "another grant type",
    request: "token",
    input: { body: { grant_type: "password" } },
    status: 400,
    rule: "grant-type",
    rests_on: /client credentials grant/,
    set: { "body.grant_type": "client_credentials" },
  },
  {
    name: "another audience",
    request: "token",
    input: { body: { audience: "https://elsewhere.example" } },
    status: 400,
    rule: "audience",
    rests_on: "token-audience",
    smallest: /audience=http/,
  },
  {
    name: "a scope that the key was not granted",
    request: "token",
    input: { body: { scope: "booking.read booking.wrte" } },
    status: 400,
    rule: "scope-not-granted",
    rests_on: "token-scope-unknown",
    set: { "body.scope": "booking.read booking.write" },
  },
  {
    name: "a secret that is wrong",
    request: "token",
    input: { body: { client_secret: "wrong" } },
    status: 401,
    rule: "client-secret",
    rests_on: /RFC 6749/,
    smallest: /sandbox env/,
    tried: false,
  },
];

/** The same of acts. */
export const refusedActs: readonly Refusal[] = [
  {
    name: "a capacity below what is sold",
    request: "act updateEvent",
    input: { body: { event_id: "evt-sold-out", capacity: 1 } },
    status: 409,
    rule: "CAPACITY_BELOW_SOLD",
    rests_on: /reserved/,
    smallest: /at least/,
  },
  {
    name: "a move to the same event",
    request: "act moveBooking",
    input: { body: { booking_id: "bkg-wedding", event_id: "evt-canal-14" } },
    before: async (world) => {
      const { body } = await world.call("getBooking", { path: { bookingId: "bkg-wedding" } });
      (refusedActs[1]?.input?.body as { event_id: string }).event_id = body.event_id;
    },
    status: 409,
    rule: "SAME_EVENT",
    rests_on: "booking-move",
    smallest: /same experience/,
  },
  {
    name: "an id that is taken",
    request: "act addLocation",
    input: { body: { id: "loc-nyhavn" } },
    status: 409,
    rule: "ID_TAKEN",
    rests_on: "ids",
    set: { "body.id": null },
  },
  {
    name: "an experience with bookings",
    request: "act deleteExperience",
    input: { body: { experience_id: "exp-hudson" } },
    status: 409,
    rule: "HAS_ACTIVE_BOOKINGS",
    rests_on: /active bookings/,
    smallest: /[Cc]ancel/,
  },
];
