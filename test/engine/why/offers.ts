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

/** The rule, with a description where several rows have the same; the request; what the offer sets or advises; and the rest. */
type Row = readonly [
  name: string,
  request: Pick<OfferRow, "request" | "input">,
  expected: RegExp | Record<string, unknown> | undefined,
  more?: Partial<OfferRow>,
];

function toOfferRow([name, request, expected, more]: Row): OfferRow {
  const offer = expected instanceof RegExp ? { advice: expected } : expected && { set: expected };
  return { name, ...request, rule: name.split(":")[0] as string, ...offer, ...more };
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
const create = (input: Input) => ({ request: "createBooking", input });
const session = (from: string, to: string) => ({
  start_time: `2030-07-01T${from}:00`,
  end_time: `2030-07-01T${to}:00`,
});

const contract = (
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
).map(([name, request, input, expected]): Row => [`contract: ${name}`, { request, input }, expected]);

const acts: readonly Row[] = [
  ["contract: an act with nothing", act("cancelEvent"), /^body\.event_id is required\.$/],
  [
    "contract: a status that no refund has",
    act("refundOrder", { order_id: "$bkg-tea", status: "SUCCESS" }),
    /allowed values: .*FAILED/,
  ],
  ["contract: an unknown member", act("addLocation", { id: "loc-new", name: "New" }), { "body.name": null }],
  [
    "contract: a misspelt member",
    act("addLocation", { id: "loc-new", timezon: "Europe/Berlin" }),
    { "body.timezon": null, "body.timezone": "Europe/Berlin" },
  ],
  [
    "INVALID_INPUT: a misspelt zone",
    act("addLocation", { id: "loc-new", timezone: "Europe/Copenhagn" }),
    { "body.timezone": "Europe/Copenhagen" },
  ],
  [
    "INVALID_INPUT: answers that are missing",
    act("bookAsHost", { ...(hosted().body as object), event_id: "evt-kayak-04", items: [item("var-kayak")] }),
    { "body.skip_answers": true },
  ],
  [
    "INVALID_INPUT: sessions that overlap",
    act("createEvent", {
      experience_id: "exp-canal",
      capacity: 10,
      sessions: [session("10:00", "12:00"), session("11:00", "13:30"), session("16:00", "17:00")],
    }),
    /is before 2030-07-01T12:00:00, when session 0 of the event ends/,
  ],
  [
    "NOT_FOUND: two misspelt ids",
    act("createEvent", {
      experience_id: "exp-canall",
      capacity: 10,
      sessions: [{ ...session("10:00", "12:00"), location_id: "loc-nyhavm" }],
    }),
    { "body.experience_id": "exp-canal", "body.sessions.0.location_id": "loc-nyhavn" },
  ],
  [
    "NOT_ENOUGH_RESOURCES: seats that items share",
    create(booking({ items: [item("var-family", 2), item("var-adult", 60)] })),
    { "body.items": [item("var-family", 2), item("var-adult", 27)] },
  ],
  [
    "NOT_ENOUGH_RESOURCES",
    create(
      booking({
        event_id: "evt-tea",
        items: [item("var-tea", 300), item("var-tea", 2), item("var-tea", 300), item("var-tea", 1)],
      }),
    ),
    { "body.items": [item("var-tea", 3)] },
    { says: /^There is room for 3 of var-tea\.$/ },
  ],
  [
    "INVALID_ITEM: two items that are nearly offered",
    create(booking({ items: [item("var-adlt", 2), item("var-chld", 1, "ADDON")] })),
    { "body.items.0.type_id": "var-adult", "body.items.1.type_id": "var-child", "body.items.1.item_type": "VARIANT" },
  ],
  [
    "INVALID_ITEM: a discount on what is nearly offered",
    act("bookAsHost", {
      ...(hosted().body as object),
      discounts: [{ code: "TEN", percent: 10, type_id: "var-adlt" }],
    }),
    { "body.discounts.0.type_id": "var-adult" },
  ],
  [
    "GIFT_CARD_BALANCE_TOO_LOW",
    act("spendGiftCard", { gift_card_id: "gc-active", amount: 99_999_999 }),
    { "body.amount": 70_000 },
  ],
  [
    "NOT_FOUND",
    act("refundOrder", { order_id: "ord-nope", amount: 5 }),
    /^Use the id of another order, one that this world has\.$/,
  ],
  [
    "GIFT_CARD_HAS_NO_ORDER",
    act("voidGiftCard", { gift_card_id: "gc-given", refund: true }),
    { "body.refund": false },
    { before: [["issueGiftCard", { id: "gc-given", initial_value: 100, expires_at: "2039-01-01T00:00:00Z" }]] },
  ],
  [
    "EVENT_LOCKED_ALREADY",
    act("lockEvent", { event_id: "evt-locked", booking_id: "bkg-wedding" }),
    undefined,
    { first: [{ act: "unlockEvent", input: { event_id: "evt-locked" } }] },
  ],
  ["EVENT_NOT_LOCKED", act("unlockEvent", { event_id: "evt-evening" }), /nothing to unlock/],
  [
    "BOOKING_ON_OTHER_EVENT",
    act("lockEvent", { event_id: "evt-evening", booking_id: "bkg-tea" }),
    { "body.event_id": "evt-tea" },
  ],
  [
    "OTHER_EXPERIENCE",
    act("moveBooking", { booking_id: "bkg-tea", event_id: "evt-evening" }),
    /cancel the booking and create a new one/,
  ],
  [
    "EXPERIENCE_NOT_ACTIVE",
    act("createEvent", { experience_id: "exp-winter", capacity: 5, sessions: [session("10:00", "12:00")] }),
    /^Name an ACTIVE experience\.$/,
  ],
  [
    "ITEMS_ONLY_GROW",
    act("updateBooking", { booking_id: "bkg-bikes", items: [item("var-rider", 1)] }),
    /^Keep at least 5 of var-rider\./,
  ],
  ["AMOUNT_TOO_HIGH", act("payOrder", { order_id: "$bkg-part-paid", amount: 99_999_999 }), { "body.amount": 220_000 }],
  ["NOTHING_TO_PAY", act("payOrder", { order_id: "$bkg-tea" }), /nothing to do/],
  ["ORDER_NOT_PAYABLE", act("payOrder", { order_id: "$bkg-back-on-card" }), /new booking/],
  ["NOTHING_TO_REFUND", act("refundOrder", { order_id: "$bkg-back-on-card" }), /nothing to do/],
  [
    "TICKET_OF_OTHER_ORDER",
    act("refundOrder", { order_id: "$bkg-tea", ticket_id: "#bkg-bikes" }),
    /^Name a ticket of the booking of order \w+\.$/,
  ],
  [
    "TRANSACTION_NOT_FOUND",
    act("refundOrder", { order_id: "$bkg-refund-trouble", refund_id: "nope", status: "COMPLETED" }),
    /^Use the id of a refund of order \w+\.$/,
  ],
  [
    "CURRENCY_MISMATCH",
    act("payOrder", { order_id: "$bkg-part-paid", amount: { value: 100, currency: "EUR", exponent: 2 } }),
    { "body.amount.currency": "DKK" },
  ],
  [
    "CODE_TAKEN",
    act("issueGiftCard", { code: "HAVN-2030", initial_value: 100, expires_at: "2039-01-01T00:00:00Z" }),
    { "body.code": null },
  ],
  [
    "EVENT_HAS_ENDED",
    act("updateEvent", {
      event_id: "evt-evening",
      sessions: [{ start_time: "2030-05-01T10:00:00", end_time: "2030-05-01T11:00:00" }],
    }),
    /ends later/,
  ],
  [
    "SLOT_NOT_FREE",
    act("bookTimeslot", {
      experience_id: "exp-kayak",
      start_time: "2030-06-09T03:00",
      customer: anna,
      items: [item("var-kayak")],
      skip_answers: true,
    }),
    /a start time from the availabilities/,
  ],
  [
    "WRONG_STATE",
    act("cancelBooking", { booking_id: "bkg-checked-in", refund: "none" }),
    undefined,
    {
      first: [
        { act: "undoCheckIn", input: { ticket_id: "#bkg-checked-in" } },
        { act: "undoCheckIn", input: { ticket_id: "##bkg-checked-in" } },
      ],
      says: /^First the act undoCheckIn of \w+, the act undoCheckIn of \w+, then send the same request again\.$/,
    },
  ],
  [
    "WRONG_STATE: one of two tickets",
    act("cancelBooking", { booking_id: "bkg-checked-in", refund: "none" }),
    undefined,
    {
      before: [["undoCheckIn", { ticket_id: "#bkg-checked-in" }]],
      first: [{ act: "undoCheckIn", input: { ticket_id: "##bkg-checked-in" } }],
    },
  ],
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
const rare: readonly Row[] = [
  [
    "NOTHING_SUITABLE",
    trigger("v1.experience.updated", { experience_id: "exp-canal", name: "Canal" }),
    /^the record already has these values/,
    { before: [["updateExperience", { experience_id: "exp-canal", name: "Canal" }]] },
  ],
  [
    "NO_TICKETS_LEFT",
    act("moveBooking", { booking_id: "bkg-empty", event_id: "evt-morning" }),
    /^Make a new booking\.$/,
    {
      before: [
        ["bookAsHost", { ...(hosted().body as object), id: "bkg-empty" }],
        ["voidTicket", { ticket_id: "#bkg-empty" }],
      ],
    },
  ],
  [
    "SLOT_SKIPPED",
    act("bookTimeslot", slot("2031-03-30T02:00")),
    /a start time from the availabilities/,
    { before: [["createExperience", night]] },
  ],
  [
    "LOCATION_REMOVED",
    act("createEvent", {
      experience_id: "exp-canal",
      capacity: 5,
      sessions: [{ ...session("10:00", "12:00"), location_id: "loc-malmo" }],
    }),
    /^Name a location that was not removed\.$/,
  ],
  [
    "GIFT_CARD_OF_REFUND",
    act("voidGiftCard", { gift_card_id: "@bkg-refund-as-card", refund: true }),
    { "body.refund": false },
  ],
  ["GIFT_CARD_ORDER", act("refundOrder", { order_id: "$gc-active" }), /by the act voidGiftCard with `refund: true`\.$/],
  [
    "DOCUMENT_NOT_OF_KIND",
    act("attachDocument", { journal_entry_id: "%SALE", type: "CREDIT_NOTE" }),
    /^Attach a RECEIPT to a SALE/,
    { before: [["bookAsHost", { ...(hosted().body as object), payments: [{}] }]] },
  ],
  ["DOCUMENT_EXISTS", act("attachDocument", { journal_entry_id: "!REFUND" }), /attached already/],
  [
    "KEY_REVOKED",
    act("updateKey", { client_id: "~client_id", scopes: ["booking.read"] }),
    /Create another with the act createKey/,
    {
      before: [
        ["createKey", { name: "Second", scopes: ["booking.read"] }],
        ["revokeKey", { client_id: "~client_id" }],
      ],
    },
  ],
];

export const offerRows = [...contract, ...acts, ...rare].map(toOfferRow);
