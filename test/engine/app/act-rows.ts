// Every act of the host, done in a small world, and the facts in their order that are told of it.
import type { TestWorld } from "../../sandbox.ts";
import { ADULT, allPages, done, guest, kroner, ticket, tour } from "../operations/kit.ts";

const EVENT = { event_id: "evt-noon" };
const INPUT = { ...EVENT, customer: guest, items: [ADULT] };
const PAID = { ...INPUT, payments: [{}] };
const SESSION = { start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" };
/** Over at 11:05, which is five minutes after the clock's hour. */
const SOON = { start_time: "2030-06-01T11:01:00", end_time: "2030-06-01T11:05:00" };
const EXPERIENCE = {
  name: "Other",
  location_ids: ["loc-pier"],
  ticket_variants: [{ id: "var-other", name: "One", price: kroner(100), vat_rate: "0" }],
};
const SLOTS = [{ weekdays: [1, 2, 3, 4, 5, 6, 7], from: "06:00", to: "08:00", duration: "PT1H", capacity: 4 }];

const bookingBy = (act: string, input: object) => async (world: TestWorld) => {
  const { id } = await done(world, act, input);
  return { booking_id: id };
};
export const placed = bookingBy("bookAsHost", PAID);
const unpaid = bookingBy("bookAsHost", INPUT);
export const started = bookingBy("startCheckout", INPUT);
export const startedAndPaid = async (world: TestWorld) => {
  const { id, order_id } = await done(world, "startCheckout", INPUT);
  await done(world, "payOrder", { order_id, amount: 100 });
  return { booking_id: id };
};
const with_ = (before: (world: TestWorld) => Promise<object>, more: object) => async (world: TestWorld) => ({
  ...(await before(world)),
  ...more,
});
const before = (work: (world: TestWorld) => Promise<object>, input: object) => async (world: TestWorld) => {
  await work(world);
  return input;
};
const orderOf =
  (before: (world: TestWorld) => Promise<object>, more: object = {}) =>
  async (world: TestWorld) => {
    await before(world);
    const { items } = await allPages(world, "listOrders");
    return { order_id: items[0].id, ...more };
  };
const ticketOf =
  (more: object = {}) =>
  async (world: TestWorld) => {
    const { booking_id } = await placed(world);
    const { body } = await world.call("listBookingTickets", { path: { bookingId: booking_id } });
    return { ticket_id: body.items[0].id, ...more };
  };
const checkedIn = async (world: TestWorld) => {
  const input = await ticketOf()(world);
  await done(world, "checkInTicket", input);
  return input;
};
export const card =
  (more: object = {}) =>
  async (world: TestWorld) => {
    await done(world, "issueGiftCard", { id: "gc", initial_value: kroner(500) });
    return { gift_card_id: "gc", ...more };
  };
const soldCard = async (world: TestWorld) => {
  await done(world, "buyGiftCard", { id: "gc", initial_value: kroner(500) });
  return { gift_card_id: "gc", refund: true };
};
export const entry = async (world: TestWorld) => {
  await placed(world);
  const { items } = await allPages(world, "listJournalEntries");
  return { journal_entry_id: items[0].id };
};
const key =
  (more: object = {}) =>
  async (world: TestWorld) => {
    const { client_id } = await done(world, "createKey", { name: "K", scopes: ["booking.read"] });
    return { client_id, ...more };
  };
const locked = async (world: TestWorld) => {
  const { booking_id } = await placed(world);
  await done(world, "lockEvent", { ...EVENT, booking_id });
  return { booking_id };
};

const inactive = async (world: TestWorld) => {
  await done(world, "deactivateEvent", EVENT);
  return EVENT;
};
const elsewhere = (before: (world: TestWorld) => Promise<{ booking_id: string }>) => async (world: TestWorld) => {
  await tour(world, "evt-other", SESSION.start_time, SESSION.end_time);
  return { ...(await before(world)), event_id: "evt-other" };
};
const withCard = async (world: TestWorld) => {
  await card()(world);
  return { ...INPUT, payments: [{ gift_card_id: "gc" }] };
};
const slot = async (world: TestWorld) => {
  await done(world, "createExperience", { ...EXPERIENCE, id: "exp-slots", opening_rules: SLOTS });
  return {
    experience_id: "exp-slots",
    start_time: "2030-06-02T06:00:00",
    customer: guest,
    items: [ticket("var-other")],
  };
};
const freeLocation = async (world: TestWorld) => {
  await done(world, "addLocation", { id: "loc-free" });
  return { location_id: "loc-free" };
};

export const lateCheckout = async (world: TestWorld) => {
  await done(world, "updateEvent", { ...EVENT, booking_cutoff: null, sessions: [SOON] });
  return started(world);
};

export type Input = object | ((world: TestWorld) => Promise<object>);
export const inputFor = async (world: TestWorld, input: Input) => (typeof input === "function" ? input(world) : input);

const PAID_FOR = "journal_entry.created order.updated order.paid";
const REFUNDED = "journal_entry.created order.updated order.refunded";
const CANCELLED = "order.updated order.cancelled";
const CARD_SOLD = `order.created gift_card.created ${PAID_FOR}`;

/** An act, what it is done with, and the facts in their order. */
export const actRows: [act: string, input: Input, facts: string][] = [
  ["createExperience", EXPERIENCE, "experience.created"],
  ["updateExperience", { experience_id: "exp-tour", name: "Other" }, "experience.updated"],
  ["updateExperience", { experience_id: "exp-tour", name: "Tour" }, ""],
  ["archiveExperience", { experience_id: "exp-tour" }, "experience.archived"],
  ["deleteExperience", { experience_id: "exp-tour" }, "event.deleted experience.deleted"],
  ["createEvent", { experience_id: "exp-tour", capacity: 5, sessions: [SESSION] }, "event.created"],
  ["updateEvent", { ...EVENT, capacity: 5 }, "event.updated"],
  ["updateEvent", { ...EVENT, capacity: 100 }, ""],
  ["activateEvent", inactive, "event.updated"],
  ["deactivateEvent", EVENT, "event.updated"],
  ["cancelEvent", before(placed, EVENT), `event.cancelled booking.cancelled ${CANCELLED} ${REFUNDED}`],
  [
    "cancelEvent",
    before(checkedIn, EVENT),
    `event.cancelled ticket.check_in_undone booking.cancelled ${CANCELLED} ${REFUNDED}`,
  ],
  ["deleteEvent", EVENT, "event.deleted"],
  ["lockEvent", with_(placed, EVENT), "event.updated"],
  ["unlockEvent", before(locked, EVENT), "event.updated"],
  ["startCheckout", INPUT, "order.created booking.started"],
  ["completeCheckout", with_(started, { payments: [{}] }), `booking.created order.updated ${PAID_FOR}`],
  ["completeCheckout", started, `booking.created order.updated ${PAID_FOR}`],
  ["abandonCheckout", started, `${CANCELLED} booking.abandoned`],
  ["abandonCheckout", startedAndPaid, `${CANCELLED} ${REFUNDED} booking.abandoned`],
  ["bookAsHost", INPUT, "order.created booking.created"],
  ["bookAsHost", PAID, `order.created booking.created ${PAID_FOR}`],
  [
    "bookAsHost",
    { ...INPUT, payments: [{ amount: 100 }] },
    "order.created booking.created journal_entry.created order.updated",
  ],
  ["bookAsHost", withCard, "order.created booking.created gift_card.spent journal_entry.created order.updated"],
  ["bookTimeslot", slot, "event.created order.created booking.created"],
  ["payOrder", orderOf(unpaid), PAID_FOR],
  ["payOrder", orderOf(unpaid, { amount: 100 }), "journal_entry.created order.updated"],
  ["refundOrder", orderOf(placed), REFUNDED],
  ["refundOrder", orderOf(placed, { amount: 100, to: "gift_card" }), `${CARD_SOLD} ${REFUNDED}`],
  ["cancelBooking", placed, `booking.cancelled ${CANCELLED} ${REFUNDED}`],
  [
    "cancelBooking",
    with_(placed, { refund: "none" }),
    `booking.cancelled ${CANCELLED} journal_entry.created order.updated`,
  ],
  ["cancelBooking", with_(placed, { refund: "gift_card" }), `booking.cancelled ${CANCELLED} ${CARD_SOLD} ${REFUNDED}`],
  ["cancelBooking", locked, `booking.cancelled event.updated ${CANCELLED} ${REFUNDED}`],
  ["cancelBooking", started, `${CANCELLED} booking.abandoned`],
  ["moveBooking", elsewhere(placed), "order.updated booking.moved booking.created"],
  ["moveBooking", elsewhere(locked), "order.updated booking.moved booking.created event.updated"],
  ["updateBooking", with_(unpaid, { locale: "da" }), "booking.updated"],
  ["updateBooking", with_(unpaid, { locale: "en" }), ""],
  ["updateBooking", with_(unpaid, { items: [ticket("var-adult", 2)] }), "order.updated booking.updated"],
  ["updateBooking", with_(unpaid, { customer: { name: "Tove" } }), "order.updated booking.updated"],
  ["checkInTicket", ticketOf(), "ticket.checked_in booking.updated"],
  ["undoCheckIn", checkedIn, "ticket.check_in_undone booking.updated"],
  ["voidTicket", ticketOf(), "ticket.voided booking.updated"],
  ["buyGiftCard", { initial_value: kroner(500) }, CARD_SOLD],
  ["issueGiftCard", { initial_value: kroner(500) }, "gift_card.created journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(300) }), "gift_card.updated journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(700) }), "gift_card.updated journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(0) }), "gift_card.spent journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(500) }), ""],
  ["spendGiftCard", card({ amount: 100 }), "gift_card.updated journal_entry.created"],
  ["spendGiftCard", card({ amount: 500 }), "gift_card.spent journal_entry.created"],
  ["voidGiftCard", card(), "gift_card.voided journal_entry.created"],
  ["voidGiftCard", soldCard, `gift_card.voided ${REFUNDED} order.cancelled`],
  ["submitConsent", { email: "a@example.com", full_name: "A" }, "marketing_consent.created"],
  ["addLocation", { id: "loc-new" }, "location.created"],
  ["removeLocation", freeLocation, "location.removed"],
  ["recordAdjustment", { type: "PAYMENT", direction: "DEBIT", amount: 5 }, "journal_entry.created"],
  ["attachDocument", with_(entry, { type: "RECEIPT" }), "journal_entry.document_attached"],
  ["createKey", { name: "K", scopes: ["booking.read"] }, "key.created"],
  ["updateKey", key({ scopes: ["order.read"] }), "key.updated"],
  ["updateKey", key({ scopes: ["booking.read"] }), ""],
  ["revokeKey", key(), "key.revoked"],
];
