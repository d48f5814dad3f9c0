// What the host can do: each act done, refused for what is not there, refused for the state things are in, refused for what it
// was given. A refused act changes nothing.
import { describe, expect, it } from "vitest";
import { acts } from "../../../src/engine/acts/index.ts";
import { valuesOf } from "../../control-enum.ts";
import { type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, addOn, advance, allPages, done, guest, kroner, ticket } from "../operations/kit.ts";

const sandbox = shareSandbox();

type Body = Answered["body"];
/** An input, or how to find one in the world. */
type Input = object | ((world: TestWorld) => Promise<object>);
type Refused = [input: Input, code: string, telling?: string];

interface Row {
  /** What it needs at least, and what of its answer shows that it was done. */
  happy: [Input, object][];
  /** Members whose id is unknown: 404 each. */
  unknown?: string[];
  /** 409 with the code of the rule; of a wrong state with those it may come from. */
  refused?: Refused[];
  /** 400 naming each of these places. Required ids are missing in an empty input. */
  wrong?: [object, string[]][];
}

const BOOK = { event_id: "evt-evening", customer: guest, items: [ADULT] };
const SESSION = { start_time: "2030-06-20T08:00:00", end_time: "2030-06-20T09:00:00" };
const EVENT = { experience_id: "exp-canal", sessions: [SESSION], capacity: 5 };
const OF_CANAL = { postings: [{ booking: { experience_id: "exp-canal", location_ids: ["loc-nyhavn"] } }, {}] };
const VARIANT = { id: "var-new", name: "New", price: kroner(100), vat_rate: "0.25" };
const SLOT = {
  experience_id: "exp-kayak",
  start_time: "2030-06-08T10:00:00",
  customer: guest,
  items: [ticket("var-kayak")],
};
const EXPERIENCE = { name: "New", ticket_variants: [VARIANT] };

const ticketOf =
  (booking: string, nth = 0, more: object = {}) =>
  async (world: TestWorld) => {
    const { body } = await world.call("listBookingTickets", { path: { bookingId: booking } });
    return { ticket_id: body.items[nth].id, ...more };
  };
const orderOf =
  (booking: string, more: object = {}) =>
  async (world: TestWorld) => {
    const { items } = await allPages(world, "listOrders");
    return { order_id: items.find(({ origin }) => origin.id === booking).id, ...more };
  };
const entryOf =
  (kind: string, test: (entry: Body) => boolean, more: object = {}) =>
  async (world: TestWorld) => {
    const { items } = await allPages(world, "listJournalEntries");
    return { journal_entry_id: items.find((entry) => entry.kind === kind && test(entry)).id, ...more };
  };
const after = (act: string, input: Input, then: (result: Body) => object) => async (world: TestWorld) =>
  then(await done(world, act, await read(world, input)));
/** A month later, with what is due by then done. */
const monthAfter = (act: string, input: object, then: (result: Body) => object) => async (world: TestWorld) => {
  const result = await done(world, act, input);
  await advance(world, "P30D");
  return then(result);
};
const eventOf = ({ id }: Body) => ({ event_id: id });
const key = (more: object = {}) =>
  after("createKey", { name: "K", scopes: ["booking.read"] }, ({ client_id }) => ({ client_id, ...more }));
const read = async (world: TestWorld, input: Input): Promise<object> =>
  typeof input === "function" ? input(world) : input;

const table: Record<string, Row> = {
  createExperience: {
    happy: [
      [
        { ...EXPERIENCE, id: "exp-new" },
        { id: "exp-new", state: "ACTIVE", name: "New" },
      ],
    ],
    refused: [[{ ...EXPERIENCE, id: "exp-canal" }, "ID_TAKEN", "exp-canal"]],
    wrong: [
      [{}, ["body.name", "body.ticket_variants"]],
      [
        { ...EXPERIENCE, ticket_variants: [{ ...VARIANT, price: { ...kroner(1), value: -1 }, vat_rate: "25%" }] },
        ["body.ticket_variants.0.price.value", "body.ticket_variants.0.vat_rate"],
      ],
      [{ ...EXPERIENCE, colour: "blue" }, ["colour"]],
      [
        {
          ...EXPERIENCE,
          opening_rules: [
            { weekdays: [1], from: "00:00", to: "24:00", duration: "PT1S", capacity: 1, location_id: "loc-nyhavn" },
          ],
        },
        ["body.opening_rules.0.duration"],
      ],
      [
        { ...EXPERIENCE, opening_rules: [{ weekdays: [8], from: "25:00", to: "9", duration: "long", capacity: -1 }] },
        ["weekdays.0", "from", "to", "duration", "capacity"],
      ],
    ],
  },
  updateExperience: {
    happy: [
      [
        { experience_id: "exp-tea", name: "Tea" },
        { id: "exp-tea", name: "Tea" },
      ],
      [
        { experience_id: "exp-winter", tag_ids: ["x"] },
        { state: "ARCHIVED", tag_ids: ["x"] },
      ],
    ],
    unknown: ["experience_id"],
    wrong: [
      [{ experience_id: "exp-tea" }, ["body"]],
      [{ experience_id: "exp-tea", ticket_variants: [] }, ["body.ticket_variants"]],
    ],
  },
  archiveExperience: {
    happy: [[{ experience_id: "exp-tea" }, { state: "ARCHIVED" }]],
    unknown: ["experience_id"],
    refused: [[{ experience_id: "exp-winter" }, "WRONG_STATE", "ACTIVE"]],
    wrong: [[{ experience_id: 7 }, ["body.experience_id"]]],
  },
  deleteExperience: {
    happy: [[{ experience_id: "exp-winter" }, { state: "DELETED" }]],
    unknown: ["experience_id"],
    refused: [[{ experience_id: "exp-canal" }, "HAS_ACTIVE_BOOKINGS", "exp-canal"]],
  },
  createEvent: {
    happy: [
      [
        { ...EVENT, id: "evt-new", visibility: "PRIVATE", booking_cutoff: "PT2H", metadata: { a: "b" } },
        { id: "evt-new", state: "ACTIVE", visibility: "PRIVATE", capacity: { total: 5, reserved: 0 } },
      ],
      [{ ...EVENT, state: "INACTIVE" }, { state: "INACTIVE" }],
    ],
    unknown: ["experience_id"],
    refused: [
      [{ ...EVENT, id: "evt-evening" }, "ID_TAKEN"],
      [{ ...EVENT, experience_id: "exp-winter" }, "EXPERIENCE_NOT_ACTIVE", "ARCHIVED"],
      [{ ...EVENT, sessions: [{ ...SESSION, location_id: "loc-malmo" }] }, "LOCATION_REMOVED"],
      [
        { ...EVENT, sessions: [{ start_time: "2030-05-01T08:00:00", end_time: "2030-05-01T09:00:00" }] },
        "EVENT_HAS_ENDED",
      ],
    ],
    wrong: [
      [{}, ["body.experience_id", "body.sessions", "body.capacity"]],
      [{ ...EVENT, capacity: -1, visibility: "SECRET" }, ["body.capacity", "body.visibility"]],
      [
        { ...EVENT, sessions: [{ start_time: "soon", end_time: "later" }] },
        ["body.sessions.0.start_time", "body.sessions.0.end_time"],
      ],
      [{ ...EVENT, sessions: [{ ...SESSION, end_time: SESSION.start_time }] }, ["body.sessions.0.end_time"]],
      [{ ...EVENT, sessions: [{ ...SESSION, timezone: "Asia/Tokyo" }] }, ["body.sessions.0.timezone"]],
      [
        {
          ...EVENT,
          sessions: [
            { ...SESSION, id: "a" },
            { ...SESSION, id: "a" },
          ],
        },
        ["body.sessions.1.id"],
      ],
      [{ ...EVENT, sessions: [{ ...SESSION, end_time: "9999-12-31T09:00:00" }] }, ["body.sessions.0.end_time"]],
      [{ ...EVENT, booking_cutoff: "early" }, ["body.booking_cutoff"]],
    ],
  },
  updateEvent: {
    happy: [
      [{ event_id: "evt-evening", capacity: 50 }, { capacity: { total: 50 } }],
      [
        { event_id: "evt-inactive", visibility: "PRIVATE" },
        { visibility: "PRIVATE", state: "INACTIVE" },
      ],
    ],
    unknown: ["event_id"],
    refused: [
      [{ event_id: "evt-sold-out", capacity: 5 }, "CAPACITY_BELOW_SOLD"],
      [{ event_id: "evt-cancelled", capacity: 50 }, "WRONG_STATE", "ACTIVE, INACTIVE"],
      [
        { event_id: "evt-evening", sessions: [{ start_time: "2030-05-01T08:00:00", end_time: "2030-05-01T09:00:00" }] },
        "EVENT_HAS_ENDED",
      ],
    ],
    wrong: [
      [{ event_id: "evt-evening" }, ["body"]],
      [{ event_id: "evt-evening", capacity: 1.5, metadata: { a: 1 } }, ["body.capacity", "body.metadata.a"]],
    ],
  },
  activateEvent: {
    happy: [[{ event_id: "evt-inactive" }, { state: "ACTIVE" }]],
    unknown: ["event_id"],
    refused: [
      [{ event_id: "evt-evening" }, "WRONG_STATE", "INACTIVE"],
      [monthAfter("createEvent", { ...EVENT, state: "INACTIVE" }, eventOf), "WRONG_STATE", "COMPLETED"],
    ],
  },
  deactivateEvent: {
    happy: [[{ event_id: "evt-evening" }, { state: "INACTIVE" }]],
    unknown: ["event_id"],
    refused: [[{ event_id: "evt-inactive" }, "WRONG_STATE", "ACTIVE"]],
  },
  cancelEvent: {
    happy: [
      [{ event_id: "evt-evening" }, { state: "CANCELLED", capacity: { total: 40, reserved: 0 } }],
      [{ event_id: "evt-evening", refund: "gift_card" }, { state: "CANCELLED" }],
    ],
    unknown: ["event_id"],
    refused: [[{ event_id: "evt-cancelled" }, "WRONG_STATE", "ACTIVE"]],
    wrong: [[{ refund: "some" }, ["body.event_id", "body.refund"]]],
  },
  deleteEvent: {
    happy: [
      [{ event_id: "evt-inactive" }, { id: "evt-inactive" }],
      [monthAfter("createEvent", EVENT, eventOf), { state: "COMPLETED" }],
    ],
    unknown: ["event_id"],
    refused: [
      [{ event_id: "evt-evening" }, "HAS_ACTIVE_BOOKINGS", "evt-evening"],
      [{ event_id: "evt-completed" }, "HAS_ACTIVE_BOOKINGS", "evt-completed"],
    ],
  },
  lockEvent: {
    happy: [[{ event_id: "evt-evening", booking_id: "bkg-evening" }, { id: "evt-evening" }]],
    unknown: ["event_id", "booking_id"],
    refused: [
      [{ event_id: "evt-locked", booking_id: "bkg-wedding" }, "EVENT_LOCKED_ALREADY", "bkg-wedding"],
      [{ event_id: "evt-evening", booking_id: "bkg-wedding" }, "BOOKING_ON_OTHER_EVENT"],
      [{ event_id: "evt-evening", booking_id: "bkg-abandoned" }, "WRONG_STATE", "ACTIVE, CHECKED_IN"],
      [{ event_id: "evt-completed", booking_id: "bkg-checked-in" }, "WRONG_STATE", "ACTIVE"],
    ],
  },
  unlockEvent: {
    happy: [[{ event_id: "evt-locked" }, { id: "evt-locked" }]],
    unknown: ["event_id"],
    refused: [[{ event_id: "evt-evening" }, "EVENT_NOT_LOCKED"]],
  },
  startCheckout: {
    happy: [
      [
        { ...BOOK, id: "bkg-new" },
        { id: "bkg-new", status: "PROCESSING", tickets: [] },
      ],
    ],
    unknown: ["event_id"],
    refused: [
      [{ ...BOOK, event_id: "evt-sold-out" }, "NOT_ENOUGH_RESOURCES"],
      [{ ...BOOK, event_id: "evt-locked", items: [ticket("var-dinner")] }, "EVENT_EXCLUSIVITY_LOCKED"],
      [{ ...BOOK, id: "bkg-evening" }, "ID_TAKEN"],
    ],
    wrong: [
      [{}, ["body.event_id", "body.customer", "body.items"]],
      [{ ...BOOK, items: [ticket("var-dinner")] }, ["body.items.0"]],
      [{ ...BOOK, payments: [] }, ["payments"]],
    ],
  },
  completeCheckout: {
    happy: [
      [{ booking_id: "bkg-processing" }, { status: "ACTIVE" }],
      [{ booking_id: "bkg-processing", payments: [] }, { status: "ACTIVE" }],
    ],
    unknown: ["booking_id"],
    refused: [
      [{ booking_id: "bkg-evening" }, "WRONG_STATE", "STARTED"],
      [{ booking_id: "bkg-processing", payments: [{ amount: 1_000_000 }] }, "AMOUNT_TOO_HIGH"],
    ],
    wrong: [[{ payments: [{ provider: "CASH" }] }, ["body.booking_id", "body.payments.0.provider"]]],
  },
  abandonCheckout: {
    happy: [[{ booking_id: "bkg-processing" }, { status: "CANCELLED" }]],
    unknown: ["booking_id"],
    refused: [[{ booking_id: "bkg-evening" }, "WRONG_STATE", "STARTED"]],
  },
  bookAsHost: {
    happy: [
      [
        { ...BOOK, locale: "de", source: "Desk", internal_note: "VIP", metadata: { a: "b" } },
        { status: "ACTIVE", locale: "de", source: "Desk", internal_note: "VIP", metadata: { a: "b" } },
      ],
    ],
    unknown: ["event_id"],
    refused: [
      [{ ...BOOK, event_id: "evt-inactive", items: [ticket("var-rider")] }, "EVENT_NOT_ACTIVE"],
      [{ ...BOOK, event_id: "evt-past-cutoff", items: [ticket("var-dinner")] }, "EVENT_PAST_CUTOFF"],
      [{ ...BOOK, payments: [{ gift_card_id: "gc-spent" }] }, "GIFT_CARD_NOT_ACTIVE", "SPENT"],
      [{ ...BOOK, payments: [{ gift_card_id: "gc-yen" }] }, "CURRENCY_MISMATCH"],
      [{ ...BOOK, payments: [{ gift_card_id: "gc-adjusted", amount: 20000 }] }, "GIFT_CARD_BALANCE_TOO_LOW"],
      [{ ...BOOK, payments: [{ provider: "STRIPE" }, { provider: "ADYEN", amount: 1 }] }, "AMOUNT_TOO_HIGH"],
    ],
    wrong: [
      [{ ...BOOK, customer: {}, items: [ticket("var-adult", 0)] }, ["body.customer", "body.items.0.quantity"]],
      [{ ...BOOK, items: [addOn("add-blanket")] }, ["body.items"]],
      [{ ...BOOK, payments: [{ provider: "GIFTCARD" }] }, ["body.payments.0.gift_card_id"]],
      [{ ...BOOK, payments: [{ provider: "SETTLEMENT" }] }, ["body.payments.0.provider"]],
      [{ ...BOOK, discounts: [{ code: "A" }] }, ["body.discounts.0"]],
      [{ ...BOOK, discounts: [{ code: "A", percent: 101 }] }, ["body.discounts.0.percent"]],
      [
        { ...BOOK, answers: [{ information_request_id: "irq-diet", answer: "x" }] },
        ["body.answers.0.information_request_id"],
      ],
      [
        { ...BOOK, answers: [{ information_request_id: "irq-allergies", answer: "x", ticket: 1 }] },
        ["body.answers.0.ticket"],
      ],
    ],
  },
  bookTimeslot: {
    happy: [
      [
        { ...SLOT, new_event_id: "evt-new", answers: [{ information_request_id: "irq-swim", answer: "Yes" }] },
        { status: "ACTIVE", event_id: "evt-new" },
      ],
    ],
    unknown: ["experience_id"],
    refused: [
      [{ ...SLOT, start_time: "2030-06-08T10:30:00" }, "SLOT_NOT_FREE"],
      [{ ...SLOT, start_time: "2030-06-09T12:00:00" }, "SLOT_NOT_FREE"],
      [{ ...SLOT, items: [ticket("var-kayak", 9)] }, "NOT_ENOUGH_RESOURCES"],
      [{ ...SLOT, new_event_id: "evt-evening" }, "ID_TAKEN"],
    ],
    wrong: [[{ start_time: "10 o'clock" }, ["body.experience_id", "body.start_time", "body.customer", "body.items"]]],
  },
  payOrder: {
    happy: [
      [orderOf("bkg-unpaid"), { payment_status: "PAID" }],
      [orderOf("bkg-unpaid", { amount: 100, provider: "ADYEN" }), { payment_status: "PARTIALLY_PAID" }],
    ],
    unknown: ["order_id"],
    refused: [
      [orderOf("bkg-evening"), "NOTHING_TO_PAY"],
      [orderOf("bkg-unpaid", { amount: 25001 }), "AMOUNT_TOO_HIGH"],
      [orderOf("bkg-abandoned"), "ORDER_NOT_PAYABLE", "CANCELLED"],
      [orderOf("bkg-unpaid", { gift_card_id: "gc-expired" }), "GIFT_CARD_NOT_ACTIVE"],
    ],
    wrong: [
      [
        { order_id: "x", provider: "GIFTCARD", amount: -1, status: "DONE" },
        ["body.gift_card_id", "body.amount", "body.status"],
      ],
    ],
  },
  refundOrder: {
    happy: [
      [orderOf("bkg-evening"), { payment_status: "REFUNDED" }],
      [orderOf("bkg-evening", { amount: 100, to: "gift_card" }), { payment_status: "PARTIALLY_REFUNDED" }],
    ],
    unknown: ["order_id"],
    refused: [
      [orderOf("bkg-unpaid"), "NOTHING_TO_REFUND"],
      [orderOf("bkg-reseller", { amount: 10_000_000 }), "AMOUNT_TOO_HIGH"],
      [
        async (world) => ({ ...(await orderOf("bkg-evening")(world)), ...(await ticketOf("bkg-wedding")(world)) }),
        "TICKET_OF_OTHER_ORDER",
      ],
      [orderOf("gc-active"), "GIFT_CARD_ORDER"],
    ],
    wrong: [[{ order_id: "x", amount: "all", to: "charity" }, ["body.amount", "body.to"]]],
  },
  cancelBooking: {
    happy: [
      [{ booking_id: "bkg-evening" }, { status: "CANCELLED" }],
      [{ booking_id: "bkg-processing" }, { status: "CANCELLED" }],
      [{ booking_id: "bkg-evening", refund: "amount", amount: 100 }, { status: "CANCELLED" }],
    ],
    unknown: ["booking_id"],
    refused: [
      [{ booking_id: "bkg-refunded" }, "WRONG_STATE", "PROCESSING, ACTIVE"],
      [{ booking_id: "bkg-checked-in" }, "WRONG_STATE", "PROCESSING, ACTIVE"],
      [{ booking_id: "bkg-evening", refund: "amount", amount: 10_000_000 }, "AMOUNT_TOO_HIGH"],
    ],
    wrong: [
      [{ booking_id: "bkg-evening", refund: "amount" }, ["body.amount"]],
      [{ booking_id: "bkg-evening", refund: "full", amount: 1 }, ["body.amount"]],
      [{ refund: "most" }, ["body.booking_id", "body.refund"]],
    ],
  },
  moveBooking: {
    happy: [
      [
        { booking_id: "bkg-evening", event_id: "evt-tomorrow-evening" },
        { status: "ACTIVE", event_id: "evt-tomorrow-evening" },
      ],
    ],
    unknown: ["booking_id", "event_id"],
    refused: [
      [{ booking_id: "bkg-evening", event_id: "evt-evening" }, "SAME_EVENT"],
      [{ booking_id: "bkg-evening", event_id: "evt-tea" }, "OTHER_EXPERIENCE"],
      [{ booking_id: "bkg-evening", event_id: "evt-sold-out" }, "NOT_ENOUGH_RESOURCES"],
      [{ booking_id: "bkg-evening", event_id: "evt-cancelled" }, "EVENT_NOT_ACTIVE"],
      [{ booking_id: "bkg-checked-in", event_id: "evt-morning" }, "WRONG_STATE", "ACTIVE"],
      [{ booking_id: "bkg-no-show", event_id: "evt-evening" }, "WRONG_STATE"],
    ],
  },
  updateBooking: {
    happy: [
      [{ booking_id: "bkg-unpaid", items: [ticket("var-adult", 2)] }, { status: "ACTIVE" }],
      [
        { booking_id: "bkg-unpaid", locale: "en", customer: { name: "Tove" } },
        { locale: "en", customer: { name: "Tove", full_name: "Tove" } },
      ],
    ],
    unknown: ["booking_id"],
    refused: [
      [{ booking_id: "bkg-refunded", locale: "en" }, "WRONG_STATE", "ACTIVE"],
      [{ booking_id: "bkg-evening", items: [ticket("var-child")] }, "ITEMS_ONLY_GROW"],
      [{ booking_id: "bkg-unpaid", items: [ticket("var-adult", 41)] }, "NOT_ENOUGH_RESOURCES"],
    ],
    wrong: [
      [{ booking_id: "bkg-unpaid" }, ["body"]],
      [{ booking_id: "bkg-unpaid", items: [], locale: "EN" }, ["body.items", "body.locale"]],
      [{ booking_id: "bkg-unpaid", items: [ADULT, ticket("var-dinner")] }, ["body.items.0"]],
    ],
  },
  checkInTicket: {
    happy: [
      [
        ticketOf("bkg-evening"),
        {
          status: "CHECKED_IN",
          check_in: { method: "MANUAL", checked_in_by: "usr-mette" },
        },
      ],
      [
        ticketOf("bkg-evening", 0, { method: "QR_CODE_SCAN", checked_in_by: "usr-gate" }),
        {
          check_in: { method: "QR_CODE_SCAN", checked_in_by: "usr-gate" },
        },
      ],
    ],
    unknown: ["ticket_id"],
    refused: [[ticketOf("bkg-checked-in"), "WRONG_STATE", "ACTIVE"]],
    wrong: [[{ method: "GUESS", checked_in_by: "" }, ["body.ticket_id", "body.method", "body.checked_in_by"]]],
  },
  undoCheckIn: {
    happy: [[ticketOf("bkg-checked-in"), { status: "ACTIVE" }]],
    unknown: ["ticket_id"],
    refused: [[ticketOf("bkg-evening"), "WRONG_STATE", "CHECKED_IN"]],
  },
  voidTicket: {
    happy: [[ticketOf("bkg-evening"), { status: "VOIDED" }]],
    unknown: ["ticket_id"],
    refused: [[ticketOf("bkg-checked-in"), "WRONG_STATE", "ACTIVE"]],
  },
  buyGiftCard: {
    happy: [
      [
        { initial_value: 100, id: "gc-new", code: "NEW" },
        { id: "gc-new", code: "NEW", status: "ACTIVE", balance: kroner(100) },
      ],
      [{ initial_value: { currency: "JPY", value: 7 } }, { balance: { currency: "JPY", value: 7, exponent: 0 } }],
    ],
    refused: [
      [{ initial_value: 1, id: "gc-spent" }, "ID_TAKEN"],
      [{ initial_value: 1, code: "HAVN-2030" }, "CODE_TAKEN"],
    ],
    wrong: [
      [{}, ["body.initial_value"]],
      [{ initial_value: 0 }, ["body.initial_value"]],
      [{ initial_value: 1, expires_at: "2030-05-01T00:00:00Z" }, ["body.expires_at"]],
      [{ initial_value: { value: 1, currency: "DKK", exponent: 0 } }, ["body.initial_value.exponent"]],
    ],
  },
  issueGiftCard: {
    happy: [
      [
        { initial_value: 100, metadata: { for: "press" } },
        { status: "ACTIVE", metadata: { for: "press" } },
      ],
    ],
    refused: [[{ initial_value: 1, id: "gc-spent" }, "ID_TAKEN"]],
    wrong: [[{ initial_value: -1 }, ["body.initial_value"]]],
  },
  adjustGiftCard: {
    happy: [
      [{ gift_card_id: "gc-active", balance: 5 }, { balance: kroner(5) }],
      [
        { gift_card_id: "HAVN-2030", balance: 0 },
        { status: "SPENT", balance: kroner(0) },
      ],
    ],
    unknown: ["gift_card_id"],
    refused: [
      [{ gift_card_id: "gc-voided", balance: 5 }, "GIFT_CARD_NOT_ACTIVE", "VOIDED"],
      [{ gift_card_id: "gc-active", balance: { currency: "JPY", value: 5 } }, "CURRENCY_MISMATCH"],
    ],
    wrong: [
      [{ gift_card_id: "gc-active" }, ["body.balance"]],
      [{ balance: -1 }, ["body.gift_card_id", "body.balance"]],
    ],
  },
  spendGiftCard: {
    happy: [[{ gift_card_id: "gc-active", amount: 5 }, { status: "ACTIVE" }]],
    unknown: ["gift_card_id"],
    refused: [
      [{ gift_card_id: "gc-expired", amount: 5 }, "GIFT_CARD_NOT_ACTIVE", "EXPIRED"],
      [{ gift_card_id: "gc-active", amount: 10_000_000 }, "GIFT_CARD_BALANCE_TOO_LOW"],
    ],
    wrong: [[{}, ["body.gift_card_id", "body.amount"]]],
  },
  voidGiftCard: {
    happy: [
      [{ gift_card_id: "gc-active" }, { status: "VOIDED" }],
      [{ gift_card_id: "gc-active", refund: true }, { status: "VOIDED" }],
    ],
    unknown: ["gift_card_id"],
    refused: [
      [{ gift_card_id: "gc-spent" }, "GIFT_CARD_NOT_ACTIVE", "SPENT"],
      [{ gift_card_id: "gc-adjusted", refund: true }, "GIFT_CARD_HAS_NO_ORDER"],
    ],
    wrong: [[{ refund: "yes" }, ["body.gift_card_id", "body.refund"]]],
  },
  submitConsent: {
    happy: [
      [
        { email: "new@example.com", full_name: "New" },
        { email: "new@example.com", full_name: "New", company_id: "cmp-harbour-tours" },
      ],
    ],
    refused: [[{ id: "con-magnus", email: "a@example.com", full_name: "A" }, "ID_TAKEN"]],
    wrong: [
      [{ email: "x" }, ["body.email", "body.full_name"]],
      [
        { email: "a@example.com", full_name: "A", references: [{}] },
        ["body.references.0.type", "body.references.0.id"],
      ],
    ],
  },
  addLocation: {
    happy: [
      [
        { id: "loc-new", timezone: "Asia/Tokyo" },
        { id: "loc-new", timezone: "Asia/Tokyo" },
      ],
    ],
    refused: [[{ id: "loc-nyhavn" }, "ID_TAKEN"]],
    wrong: [
      [{ timezone: "Mars/Olympus" }, ["body.timezone"]],
      [
        { address: {}, coordinates: { latitude: 91, longitude: "x" } },
        ["body.address.city", "body.coordinates.latitude", "body.coordinates.longitude"],
      ],
    ],
  },
  removeLocation: { happy: [[{ location_id: "loc-nyhavn" }, { id: "loc-nyhavn" }]], unknown: ["location_id"] },
  recordAdjustment: {
    happy: [
      [
        { type: "PAYMENT", direction: "DEBIT", amount: 5 },
        {
          kind: "ADJUSTMENT",
          postings: [
            { type: "PAYMENT", direction: "DEBIT" },
            { type: "ADJUSTMENT", direction: "CREDIT" },
          ],
        },
      ],
      [{ type: "BOOKING_REVENUE", direction: "DEBIT", amount: 5, booking_id: "bkg-evening" }, OF_CANAL],
      [orderOf("bkg-evening", { type: "BOOKING_PREPAYMENT", direction: "CREDIT", amount: 5 }), OF_CANAL],
    ],
    wrong: [
      [{ type: "COFFEE", direction: "UP", amount: -1 }, ["body.type", "body.direction", "body.amount"]],
      [{ type: "PAYMENT", direction: "DEBIT", amount: 0 }, ["body.amount"]],
      [{ type: "BOOKING_REVENUE", direction: "DEBIT", amount: 5 }, ["body.booking_id", "order_id"]],
      [{ type: "BOOKING_FEE_REVENUE", direction: "DEBIT", amount: 5, booking_id: "bkg-evening" }, ["body.type"]],
    ],
  },
  attachDocument: {
    happy: [
      [
        async (world) => {
          await done(world, "bookAsHost", { ...BOOK, payments: [{}] });
          return entryOf("SALE", ({ documents }) => documents.length === 0)(world);
        },
        { kind: "SALE", documents: [{ type: "RECEIPT" }] },
      ],
    ],
    unknown: ["journal_entry_id"],
    refused: [
      [entryOf("SALE", () => true), "DOCUMENT_EXISTS", "RECEIPT"],
      [entryOf("SALE", () => true, { type: "CREDIT_NOTE" }), "DOCUMENT_NOT_OF_KIND", "CREDIT_NOTE"],
      [entryOf("REVENUE_RECOGNITION", () => true), "DOCUMENT_NOT_OF_KIND", "REVENUE_RECOGNITION"],
    ],
    wrong: [[{ type: "POEM" }, ["body.journal_entry_id", "body.type"]]],
  },
  createKey: {
    happy: [
      [
        { name: "New", scopes: ["booking.read"] },
        { name: "New", scopes: ["booking.read"], client_secret: expect.any(String) },
      ],
    ],
    wrong: [
      [{ scopes: [] }, ["body.name", "body.scopes"]],
      [{ name: "A", scopes: ["booking.read", "booking.read"] }, ["body.scopes"]],
    ],
  },
  updateKey: {
    happy: [[key({ scopes: ["order.read"] }), { scopes: ["order.read"] }]],
    unknown: ["client_id"],
    refused: [[after("revokeKey", key(), ({ client_id }) => ({ client_id, scopes: ["order.read"] })), "KEY_REVOKED"]],
    wrong: [[{ scopes: ["x"] }, ["body.client_id", "body.scopes.0"]]],
  },
  revokeKey: {
    happy: [[key(), { revoked_at: "2030-06-01T09:00:00.000Z" }]],
    unknown: ["client_id"],
    refused: [[after("revokeKey", key(), ({ client_id }) => ({ client_id })), "KEY_REVOKED"]],
  },
};

it("every act has its row, and every row its act", () => {
  expect(Object.keys(table).sort()).toEqual(acts.map(({ id }) => id).sort());
});

/** Nothing changes a world but a commit, which its history has. */
const changes = async (world: TestWorld) => (await world.control("get", "history?limit=1")).text;
const exported = async (world: TestWorld) => (await world.control("get", "state")).text;

/** Refused, in words, with nothing changed. */
async function mustRefuse(world: TestWorld, act: string, input: object, status: number, code: string): Promise<string> {
  const before = await changes(world);
  const answer = await world.act(act, input);
  expect([answer.status, answer.body.code], `${JSON.stringify(input)}: ${answer.text}`).toEqual([status, code]);
  expect(await changes(world)).toBe(before);
  return answer.body.message;
}

describe.each(Object.entries(table))("%s", (act, row) => {
  it("succeeds, and reports the facts", async () => {
    for (const [input, result] of row.happy) {
      const world = await sandbox.world();
      const answer = await world.act(act, await read(world, input));
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.result).toMatchObject(result);
      // Which ones exactly: facts.test.ts.
      expect(answer.body.facts.length).toBeGreaterThan(0);
      for (const fact of answer.body.facts)
        expect(fact).toEqual({ fact: expect.toBeOneOf([...valuesOf("FactName")]), id: expect.any(String) });
    }
  });

  if (row.unknown)
    it("responds 404 for an unknown id", async () => {
      const world = await sandbox.world();
      for (const member of row.unknown ?? []) {
        const input = await read(await sandbox.world(), row.happy[0]?.[0] ?? {});
        for (const id of ["nothing", "__proto__"]) {
          const message = await mustRefuse(world, act, { ...input, [member]: id }, 404, "NOT_FOUND");
          expect(message).toContain(id);
        }
      }
    });

  if (row.refused)
    it("is rejected if a rule forbids it", async () => {
      for (const [input, code, telling = ""] of row.refused ?? []) {
        const world = await sandbox.world();
        const message = await mustRefuse(world, act, await read(world, input), 409, code);
        expect(message).toContain(telling);
      }
    });

  it("is rejected for invalid input with every wrong path", async () => {
    const world = await sandbox.world();
    const missing: [object, string[]][] = row.unknown ? [[{}, row.unknown.map((member) => `body.${member}`)]] : [];
    for (const [input, places] of [...(row.wrong ?? []), ...missing, [[], ["body"]] as [object, string[]]]) {
      const answer = await world.act(act, input);
      expect(
        [answer.status, places.filter((path) => !answer.body.message.includes(path))],
        `${JSON.stringify(input)}: ${answer.text}`,
      ).toEqual([400, []]);
    }
  });
});

describe("an act", () => {
  it.each(["createevent", "cancelEvnt", "nothing", "__proto__"])("named %s is unknown", async (name) => {
    const answer = await (await sandbox.world()).act(name, {});
    expect(answer.status).toBe(404);
  });

  it("is listed with its input from the specification", async () => {
    const { body } = await (await sandbox.world()).control("get", "acts");
    expect(body.items.map(({ act }: Body) => act).sort()).toEqual(acts.map(({ id }) => id).sort());
    for (const { summary, input } of body.items) expect([typeof summary, input.type]).toEqual(["string", "object"]);
  });

  it("is rejected with a body of text or of invalid JSON", async () => {
    const world = await sandbox.world();
    const send = (body: string, type: string) =>
      fetch(`${sandbox.url}/_sandbox/acts/createEvent`, {
        method: "POST",
        headers: { "content-type": type, "sandbox-world": world.id },
        body,
      });
    expect((await send("{}", "text/plain")).status).toBe(415);
    expect((await send("{", "application/json")).status).toBe(400);
  });

  it("of one world does not change the others", async () => {
    const [one, two] = [await sandbox.world(), await sandbox.world()];
    const before = await exported(two);
    await done(one, "cancelEvent", { event_id: "evt-evening" });
    expect((await exported(two)) === before).toBe(true);
  });
});

describe("a key", () => {
  const ask = (client_id: string, client_secret: string, scope?: string) =>
    fetch(`${sandbox.url}/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        audience: sandbox.url,
        client_id,
        client_secret,
        ...(scope ? { scope } : {}),
      }),
    });

  it("works until it is revoked, which invalidates its tokens", async () => {
    const world = await sandbox.world();
    const { client_id, client_secret } = await done(world, "createKey", {
      name: "Channel manager",
      scopes: ["booking.read", "booking.write"],
    });
    const token = ((await (await ask(client_id, client_secret)).json()) as Body).access_token;
    expect((await world.call("listBookings", { token })).status).toBe(200);
    expect((await world.call("listOrders", { token })).status).toBe(403);
    await done(world, "updateKey", { client_id, scopes: ["booking.read", "order.read"] });
    expect((await world.call("listOrders", { token })).status).toBe(403);
    expect((await ask(client_id, client_secret, "order.read")).status).toBe(200);
    expect((await ask(client_id, client_secret, "booking.write")).status).toBe(400);
    await done(world, "revokeKey", { client_id });
    expect((await world.call("listBookings", { token })).status).toBe(401);
    expect((await ask(client_id, client_secret)).status).toBe(401);
  });
});
