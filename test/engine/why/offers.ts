// Refusals whose offer has to keep what the client meant: what is sent, and exactly what the offer changes of it. A row says the rest by
// what it leaves out: nothing else of the request may change.
import { anna, type Input } from "../../sandbox.ts";

export interface OfferRow {
  name: string;
  /** Acts before, carried out in this order. */
  before?: readonly [act: string, input: object][];
  /** An operation, or `act` and its name. */
  request: string;
  input: Input;
  rule: string;
  /** What the offer sets, by path; null takes a member away. */
  set?: Record<string, unknown>;
  /** The acts that it carries out before. */
  first?: readonly object[];
  /** What it says, where no trial can confirm it. */
  advice?: RegExp;
  /** Words of the offer. */
  says?: RegExp;
}

const item = (type_id: string, quantity = 1, item_type = "VARIANT") => ({ type_id, item_type, quantity });
const adult = item("var-adult");
const booking = (more: object = {}): Input => ({
  body: { event_id: "evt-evening", customer: anna, locale: "da", items: [adult], ...more },
});
const hosted = (more: object = {}): Input => ({
  body: { event_id: "evt-evening", customer: anna, items: [adult], locale: "da", ...more },
});
const given = (query: string): Input => ({ query });
const act = (name: string, body: object = {}) => ({ request: `act ${name}`, input: { body } });
const session = (from: string, to: string) => ({
  start_time: `2030-07-01T${from}:00`,
  end_time: `2030-07-01T${to}:00`,
});

const contract: readonly OfferRow[] = (
  [
    // A query.
    ["a plus that became a blank", "listBookings", given("sort=+created_at"), { "query.sort": "+created_at" }],
    ["a misspelt sort", "listBookings", given("sort=-updatd_at"), { "query.sort": "-updated_at" }],
    ["a sort in capitals", "listBookings", given("sort=CREATED_AT"), { "query.sort": "created_at" }],
    [
      "a list in two parameters",
      "listBookings",
      given("status=ACTIVE&status=CANCELLED&limit=3"),
      { "query.status": "ACTIVE,CANCELLED" },
    ],
    ["one of a list unknown", "listBookings", given("status=ACTIVE,FOO"), /allowed values: ACTIVE, CANCELLED/],
    ["one of a list misspelt", "listBookings", given("status=ACTIVE,CANCELED"), { "query.status": "ACTIVE,CANCELLED" }],
    ["a list in small letters", "listBookings", given("status=active,moved"), { "query.status": "ACTIVE,MOVED" }],
    ["a limit with an exponent", "listBookings", given("limit=1e1&status=ACTIVE"), { "query.limit": 10 }],
    ["a limit of nothing", "listBookings", given("limit=0"), { "query.limit": 1 }],
    ["a limit in words", "listBookings", given("limit=ten"), /an integer written in digits/],
    ["a date", "listBookings", given("from=2030-06-01"), /a date-time with its offset, such as 2030-06-01T09:00:00Z/],
    ["an order behind a sort", "listBookings", given("sort=created_at:desc"), { "query.sort": "-created_at" }],
    [
      "brackets behind a name",
      "listBookings",
      given("status[]=ACTIVE"),
      { "query.status": "ACTIVE", "query.status[]": null },
    ],
    ["a language in small letters", "createBooking", booking({ locale: "en-us" }), { "body.locale": "en-US" }],
    // A body.
    [
      "a number in metadata",
      "createBooking",
      booking({ metadata: { crm: 1042, is_new: true, other: "b" } }),
      { "body.metadata.crm": "1042", "body.metadata.is_new": "true" },
    ],
    [
      "four quantities of nothing",
      "createBooking",
      booking({ items: [item("var-adult", 0), item("var-child", 2), item("var-adult", 0), item("var-child", -1)] }),
      { "body.items.0.quantity": 1, "body.items.2.quantity": 1, "body.items.3.quantity": 1 },
    ],
    [
      "a quantity as text",
      "createBooking",
      booking({ items: [{ ...adult, quantity: "2" }] }),
      { "body.items.0.quantity": 2 },
    ],
    [
      "a misspelt quantity",
      "createBooking",
      booking({ items: [{ type_id: "var-adult", item_type: "VARIANT", quantitty: 3 }] }),
      { "body.items.0.quantity": 3, "body.items.0.quantitty": null },
    ],
    [
      "a misspelt name with a number for a value",
      "createBooking",
      booking({ customer: { ...anna, name: undefined, Name: 7 } }),
      { "body.customer.name": "7", "body.customer.Name": null },
    ],
    [
      "a misspelt kind of item",
      "createBooking",
      booking({ items: [item("var-adult", 2, "varient")] }),
      { "body.items.0.item_type": "VARIANT" },
    ],
    ["an item by itself", "createBooking", booking({ items: adult }), { "body.items": [adult] }],
    [
      "a country in small letters",
      "createBooking",
      booking({ customer: { ...anna, address: { ...anna.address, country: "dk" } } }),
      { "body.customer.address.country": "DK" },
    ],
    [
      "an e-mail address that was written to be read",
      "createBooking",
      booking({ customer: { ...anna, email: "maja (at) example.com" } }),
      /an e-mail address, such as anna@example\.com/,
    ],
    ["null for a member", "createBooking", booking({ metadata: null }), { "body.metadata": null }],
    [
      "a number for a name",
      "createBooking",
      booking({ customer: { ...anna, name: 7 } }),
      { "body.customer.name": "7" },
    ],
    [
      "one kind of message for a list",
      "createWebhookSubscription",
      { body: { url: "http://127.0.0.1:9/kept", event_types: "v1.booking.created", state: "ENABLED" } },
      { "body.event_types": ["v1.booking.created"] },
    ],
    [
      "kinds of messages with one misspelt",
      "createWebhookSubscription",
      {
        body: {
          url: "http://127.0.0.1:9/kept",
          event_types: ["v1.booking.creatd", "v1.event.updated"],
          state: "enabled",
        },
      },
      { "body.event_types.0": "v1.booking.created", "body.state": "ENABLED" },
    ],
  ] as const
).map(([name, request, input, expected]) => ({
  name,
  request,
  input,
  rule: "contract",
  ...(expected instanceof RegExp ? { advice: expected } : { set: expected }),
}));

const acts: readonly OfferRow[] = [
  {
    name: "an act with nothing",
    ...act("cancelEvent"),
    rule: "contract",
    advice: /^body\.event_id is required\.$/,
  },
  {
    name: "a status that no refund has",
    ...act("refundOrder", { order_id: "$bkg-tea", status: "SUCCESS" }),
    rule: "contract",
    advice: /allowed values: .*FAILED/,
  },
  {
    name: "an unknown member",
    ...act("addLocation", { id: "loc-new", name: "New" }),
    rule: "contract",
    set: { "body.name": null },
  },
  {
    name: "a misspelt member",
    ...act("addLocation", { id: "loc-new", timezon: "Europe/Berlin" }),
    rule: "contract",
    set: { "body.timezon": null, "body.timezone": "Europe/Berlin" },
  },
  {
    name: "a misspelt zone",
    ...act("addLocation", { id: "loc-new", timezone: "Europe/Copenhagn" }),
    rule: "INVALID_INPUT",
    set: { "body.timezone": "Europe/Copenhagen" },
  },
  {
    name: "answers that are missing",
    ...act("bookAsHost", { ...(hosted().body as object), event_id: "evt-kayak-04", items: [item("var-kayak")] }),
    rule: "INVALID_INPUT",
    set: { "body.skip_answers": true },
  },
  {
    name: "sessions that overlap",
    ...act("createEvent", {
      experience_id: "exp-canal",
      capacity: 10,
      sessions: [session("10:00", "12:00"), session("11:00", "13:30"), session("16:00", "17:00")],
    }),
    rule: "INVALID_INPUT",
    advice: /is before 2030-07-01T12:00:00, when session 0 of the event ends/,
  },
  {
    name: "more of four items than there are seats",
    request: "createBooking",
    input: booking({
      event_id: "evt-tea",
      items: [item("var-tea", 300), item("var-tea", 2), item("var-tea", 300), item("var-tea", 1)],
    }),
    rule: "NOT_ENOUGH_RESOURCES",
    set: { "body.items": [item("var-tea", 3)] },
    says: /^There is room for 3 of var-tea\.$/,
  },
  {
    name: "two items that are nearly offered",
    request: "createBooking",
    input: booking({ items: [item("var-adlt", 2), item("var-chld", 1, "ADDON")] }),
    rule: "INVALID_ITEM",
    set: {
      "body.items.0.type_id": "var-adult",
      "body.items.1.type_id": "var-child",
      "body.items.1.item_type": "VARIANT",
    },
  },
  {
    name: "a discount on what is nearly offered",
    ...act("bookAsHost", {
      ...(hosted().body as object),
      discounts: [{ code: "TEN", percent: 10, type_id: "var-adlt" }],
    }),
    rule: "INVALID_ITEM",
    set: { "body.discounts.0.type_id": "var-adult" },
  },
  {
    name: "more than a card holds",
    ...act("spendGiftCard", { gift_card_id: "gc-active", amount: 99_999_999 }),
    rule: "GIFT_CARD_BALANCE_TOO_LOW",
    set: { "body.amount": 70_000 },
  },
  {
    name: "an order that does not exist",
    ...act("refundOrder", { order_id: "ord-nope", amount: 5 }),
    rule: "NOT_FOUND",
    advice: /^Use the id of another order, one that this world has\.$/,
  },
  {
    name: "a card whose order is unknown",
    before: [["issueGiftCard", { id: "gc-given", initial_value: 100, expires_at: "2039-01-01T00:00:00Z" }]],
    ...act("voidGiftCard", { gift_card_id: "gc-given", refund: true }),
    rule: "GIFT_CARD_HAS_NO_ORDER",
    set: { "body.refund": false },
  },
  {
    name: "an event that is locked already",
    ...act("lockEvent", { event_id: "evt-locked", booking_id: "bkg-wedding" }),
    rule: "EVENT_LOCKED_ALREADY",
    first: [{ act: "unlockEvent", input: { event_id: "evt-locked" } }],
  },
  {
    name: "an event that is not locked",
    ...act("unlockEvent", { event_id: "evt-evening" }),
    rule: "EVENT_NOT_LOCKED",
    advice: /nothing to unlock/,
  },
  {
    name: "a lock by a booking of another event",
    ...act("lockEvent", { event_id: "evt-evening", booking_id: "bkg-tea" }),
    rule: "BOOKING_ON_OTHER_EVENT",
    set: { "body.event_id": "evt-tea" },
  },
  {
    name: "a move to another experience",
    ...act("moveBooking", { booking_id: "bkg-tea", event_id: "evt-evening" }),
    rule: "OTHER_EXPERIENCE",
    advice: /cancel the booking and create a new one/,
  },
  {
    name: "an event of an archived experience",
    ...act("createEvent", { experience_id: "exp-winter", capacity: 5, sessions: [session("10:00", "12:00")] }),
    rule: "EXPERIENCE_NOT_ACTIVE",
    advice: /^Name an ACTIVE experience\.$/,
  },
  {
    name: "fewer of an item than a booking holds",
    ...act("updateBooking", { booking_id: "bkg-bikes", items: [item("var-rider", 1)] }),
    rule: "ITEMS_ONLY_GROW",
    advice: /^Keep at least 5 of var-rider\./,
  },
  {
    name: "more than is open",
    ...act("payOrder", { order_id: "$bkg-part-paid", amount: 99_999_999 }),
    rule: "AMOUNT_TOO_HIGH",
    set: { "body.amount": 220_000 },
  },
  {
    name: "a paid order",
    ...act("payOrder", { order_id: "$bkg-tea" }),
    rule: "NOTHING_TO_PAY",
    advice: /nothing to do/,
  },
  {
    name: "a cancelled order",
    ...act("payOrder", { order_id: "$bkg-back-on-card" }),
    rule: "ORDER_NOT_PAYABLE",
    advice: /new booking/,
  },
  {
    name: "a refund of what was paid back",
    ...act("refundOrder", { order_id: "$bkg-back-on-card" }),
    rule: "NOTHING_TO_REFUND",
    advice: /nothing to do/,
  },
  {
    name: "a refund of a ticket of another order",
    ...act("refundOrder", { order_id: "$bkg-tea", ticket_id: "#bkg-bikes" }),
    rule: "TICKET_OF_OTHER_ORDER",
    advice: /^Name a ticket of the booking of order \w+\.$/,
  },
  {
    name: "a refund that is not there",
    ...act("refundOrder", { order_id: "$bkg-refund-trouble", refund_id: "nope", status: "COMPLETED" }),
    rule: "TRANSACTION_NOT_FOUND",
    advice: /^Use the id of a refund of order \w+\.$/,
  },
  {
    name: "another currency",
    ...act("payOrder", { order_id: "$bkg-part-paid", amount: { value: 100, currency: "EUR", exponent: 2 } }),
    rule: "CURRENCY_MISMATCH",
    set: { "body.amount.currency": "DKK" },
  },
  {
    name: "a code that is taken",
    ...act("issueGiftCard", { code: "HAVN-2030", initial_value: 100, expires_at: "2039-01-01T00:00:00Z" }),
    rule: "CODE_TAKEN",
    set: { "body.code": null },
  },
  {
    name: "an event that would be over",
    ...act("updateEvent", {
      event_id: "evt-evening",
      sessions: [{ start_time: "2030-05-01T10:00:00", end_time: "2030-05-01T11:00:00" }],
    }),
    rule: "EVENT_HAS_ENDED",
    advice: /ends later/,
  },
  {
    name: "a slot that is not free",
    ...act("bookTimeslot", {
      experience_id: "exp-kayak",
      start_time: "2030-06-09T03:00",
      customer: anna,
      items: [item("var-kayak")],
      skip_answers: true,
    }),
    rule: "SLOT_NOT_FREE",
    advice: /a start time from the availabilities/,
  },
  {
    name: "guests who have come",
    ...act("cancelBooking", { booking_id: "bkg-checked-in", refund: "none" }),
    rule: "WRONG_STATE",
    first: [
      { act: "undoCheckIn", input: { ticket_id: "#bkg-checked-in" } },
      { act: "undoCheckIn", input: { ticket_id: "##bkg-checked-in" } },
    ],
    says: /^First the act undoCheckIn of \w+, the act undoCheckIn of \w+, then send the same request again\.$/,
  },
];

const slot = (start_time: string) => ({
  experience_id: "exp-night",
  start_time,
  customer: anna,
  items: [item("var-night")],
});
const night = {
  id: "exp-night",
  name: "A night",
  location_ids: ["loc-nyhavn"],
  ticket_variants: [
    { id: "var-night", name: "Adult", price: { currency: "DKK", value: 100, exponent: 2 }, vat_rate: "0.25", seats: 1 },
  ],
  opening_rules: [
    { weekdays: [7], from: "01:00", to: "04:00", duration: "PT1H", capacity: 4, location_id: "loc-nyhavn" },
  ],
};
const trigger = (kind: string, set: object = {}) => ({ request: "trigger", input: { body: { kind, set } } });

/** Of the host's side: what stands against it is seldom met, and is told all the same. */
const rare: readonly OfferRow[] = [
  {
    name: "a trigger of values that are there already",
    before: [["updateExperience", { experience_id: "exp-canal", name: "Canal" }]],
    ...trigger("v1.experience.updated", { experience_id: "exp-canal", name: "Canal" }),
    rule: "NOTHING_SUITABLE",
    advice: /^the record already has these values/,
  },
  {
    name: "a move of a booking without tickets",
    before: [
      ["bookAsHost", { ...(hosted().body as object), id: "bkg-empty" }],
      ["voidTicket", { ticket_id: "#bkg-empty" }],
    ],
    ...act("moveBooking", { booking_id: "bkg-empty", event_id: "evt-morning" }),
    rule: "NO_TICKETS_LEFT",
    advice: /^Make a new booking\.$/,
  },
  {
    name: "a slot that the clocks skip",
    before: [["createExperience", night]],
    ...act("bookTimeslot", slot("2031-03-30T02:00")),
    rule: "SLOT_SKIPPED",
    advice: /a start time from the availabilities/,
  },
  {
    name: "a removed location",
    ...act("createEvent", {
      experience_id: "exp-canal",
      capacity: 5,
      sessions: [{ ...session("10:00", "12:00"), location_id: "loc-malmo" }],
    }),
    rule: "LOCATION_REMOVED",
    advice: /^Name a location that was not removed\.$/,
  },
  {
    name: "money back for a card that a refund made",
    ...act("voidGiftCard", { gift_card_id: "@bkg-refund-as-card", refund: true }),
    rule: "GIFT_CARD_OF_REFUND",
    set: { "body.refund": false },
  },
  {
    name: "a refund of what bought a card",
    ...act("refundOrder", { order_id: "$gc-active" }),
    rule: "GIFT_CARD_ORDER",
    advice: /by the act voidGiftCard with `refund: true`\.$/,
  },
  {
    name: "a document of another kind of entry",
    before: [["bookAsHost", { ...(hosted().body as object), payments: [{}] }]],
    ...act("attachDocument", { journal_entry_id: "%SALE", type: "CREDIT_NOTE" }),
    rule: "DOCUMENT_NOT_OF_KIND",
    advice: /^Attach a RECEIPT to a SALE/,
  },
  {
    name: "a document that is there",
    ...act("attachDocument", { journal_entry_id: "!REFUND" }),
    rule: "DOCUMENT_EXISTS",
    advice: /attached already/,
  },
  {
    name: "a key that was revoked",
    before: [
      ["createKey", { name: "Second", scopes: ["booking.read"] }],
      ["revokeKey", { client_id: "~client_id" }],
    ],
    ...act("updateKey", { client_id: "~client_id", scopes: ["booking.read"] }),
    rule: "KEY_REVOKED",
    advice: /Create another with the act createKey/,
  },
];

export const offerRows: readonly OfferRow[] = [...contract, ...acts, ...rare];
