// Facts are a contract: acts answer them, the journal of requests, the stream and the receipt of a clock hold them. What happens, and
// exactly the facts that are told of it, in their order; each is about a record that is there.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acts } from "../../../src/engine/acts/index.ts";
import type { FactName } from "../../../src/engine/domain/kernel/facts.ts";
import { valuesOf } from "../../control-enum.ts";
import { type Answered, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, allPages, book, done, guest, kroner, smallWorld, ticket, tour } from "../operations/kit.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

type Body = Answered["body"];
interface Fact {
  fact: FactName;
  id: string;
}

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
const placed = bookingBy("bookAsHost", PAID);
const unpaid = bookingBy("bookAsHost", INPUT);
const started = bookingBy("startCheckout", INPUT);
const startedAndPaid = async (world: TestWorld) => {
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
const card =
  (more: object = {}) =>
  async (world: TestWorld) => {
    await done(world, "issueGiftCard", { id: "gc", initial_value: kroner(500) });
    return { gift_card_id: "gc", ...more };
  };
const soldCard = async (world: TestWorld) => {
  await done(world, "buyGiftCard", { id: "gc", initial_value: kroner(500) });
  return { gift_card_id: "gc", refund: true };
};
const entry = async (world: TestWorld) => {
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

const lateCheckout = async (world: TestWorld) => {
  await done(world, "updateEvent", { ...EVENT, booking_cutoff: null, sessions: [SOON] });
  return started(world);
};

type Input = object | ((world: TestWorld) => Promise<object>);
const inputFor = async (world: TestWorld, input: Input) => (typeof input === "function" ? input(world) : input);

/** An act, what it is done with, and the facts in their order. */
const actRows: [act: string, input: Input, facts: string][] = [
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
  [
    "cancelEvent",
    before(placed, EVENT),
    "event.cancelled booking.cancelled order.updated order.cancelled journal_entry.created order.updated order.refunded",
  ],
  [
    "cancelEvent",
    before(checkedIn, EVENT),
    "event.cancelled ticket.check_in_undone booking.cancelled order.updated order.cancelled journal_entry.created order.updated order.refunded",
  ],
  ["deleteEvent", EVENT, "event.deleted"],
  ["lockEvent", with_(placed, EVENT), "event.updated"],
  ["unlockEvent", before(locked, EVENT), "event.updated"],
  ["startCheckout", INPUT, "order.created booking.started"],
  [
    "completeCheckout",
    with_(started, { payments: [{}] }),
    "booking.created order.updated journal_entry.created order.updated order.paid",
  ],
  ["completeCheckout", started, "booking.created order.updated journal_entry.created order.updated order.paid"],
  ["abandonCheckout", started, "order.updated order.cancelled booking.abandoned"],
  [
    "abandonCheckout",
    startedAndPaid,
    "order.updated order.cancelled journal_entry.created order.updated order.refunded booking.abandoned",
  ],
  ["bookAsHost", INPUT, "order.created booking.created"],
  ["bookAsHost", PAID, "order.created booking.created journal_entry.created order.updated order.paid"],
  [
    "bookAsHost",
    { ...INPUT, payments: [{ amount: 100 }] },
    "order.created booking.created journal_entry.created order.updated",
  ],
  ["bookAsHost", withCard, "order.created booking.created gift_card.spent journal_entry.created order.updated"],
  ["bookTimeslot", slot, "event.created order.created booking.created"],
  ["payOrder", orderOf(unpaid), "journal_entry.created order.updated order.paid"],
  ["payOrder", orderOf(unpaid, { amount: 100 }), "journal_entry.created order.updated"],
  ["refundOrder", orderOf(placed), "journal_entry.created order.updated order.refunded"],
  [
    "refundOrder",
    orderOf(placed, { amount: 100, to: "gift_card" }),
    "order.created gift_card.created journal_entry.created order.updated order.paid journal_entry.created order.updated order.refunded",
  ],
  [
    "cancelBooking",
    placed,
    "booking.cancelled order.updated order.cancelled journal_entry.created order.updated order.refunded",
  ],
  [
    "cancelBooking",
    with_(placed, { refund: "none" }),
    "booking.cancelled order.updated order.cancelled journal_entry.created order.updated",
  ],
  [
    "cancelBooking",
    with_(placed, { refund: "gift_card" }),
    "booking.cancelled order.updated order.cancelled order.created gift_card.created journal_entry.created order.updated order.paid journal_entry.created order.updated order.refunded",
  ],
  [
    "cancelBooking",
    locked,
    "booking.cancelled event.updated order.updated order.cancelled journal_entry.created order.updated order.refunded",
  ],
  ["cancelBooking", started, "order.updated order.cancelled booking.abandoned"],
  ["moveBooking", elsewhere(placed), "order.updated booking.moved booking.created"],
  ["moveBooking", elsewhere(locked), "order.updated booking.moved booking.created event.updated"],
  ["updateBooking", with_(unpaid, { locale: "da" }), "booking.updated"],
  ["updateBooking", with_(unpaid, { locale: "en" }), ""],
  ["updateBooking", with_(unpaid, { items: [ticket("var-adult", 2)] }), "order.updated booking.updated"],
  ["updateBooking", with_(unpaid, { customer: { name: "Tove" } }), "order.updated booking.updated"],
  ["checkInTicket", ticketOf(), "ticket.checked_in booking.updated"],
  ["undoCheckIn", checkedIn, "ticket.check_in_undone booking.updated"],
  ["voidTicket", ticketOf(), "ticket.voided booking.updated"],
  [
    "buyGiftCard",
    { initial_value: kroner(500) },
    "order.created gift_card.created journal_entry.created order.updated order.paid",
  ],
  ["issueGiftCard", { initial_value: kroner(500) }, "gift_card.created journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(300) }), "gift_card.updated journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(700) }), "gift_card.updated journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(0) }), "gift_card.spent journal_entry.created"],
  ["adjustGiftCard", card({ balance: kroner(500) }), ""],
  ["spendGiftCard", card({ amount: 100 }), "gift_card.updated journal_entry.created"],
  ["spendGiftCard", card({ amount: 500 }), "gift_card.spent journal_entry.created"],
  ["voidGiftCard", card(), "gift_card.voided journal_entry.created"],
  ["voidGiftCard", soldCard, "gift_card.voided journal_entry.created order.updated order.refunded order.cancelled"],
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

/** Requests of integrations, each once. */
const requestRows: [operation: string, request: (world: TestWorld) => Promise<Answered>, facts: string][] = [
  [
    "createBooking",
    (world) => book(world, "evt-noon"),
    "order.created booking.created journal_entry.created order.updated order.paid",
  ],
  [
    "extendGiftCardExpiry",
    async (world) => {
      await card()(world);
      return world.call("extendGiftCardExpiry", {
        path: { giftCardId: "gc" },
        body: { expires_at: "2040-01-01T00:00:00Z" },
      });
    },
    "gift_card.extended",
  ],
  [
    "recordJournalEntryActivity",
    async (world) => {
      const { journal_entry_id } = await entry(world);
      return world.call("recordJournalEntryActivity", {
        path: { journalEntryId: journal_entry_id },
        body: { status: "STARTED", detail: "ok" },
      });
    },
    "journal_entry.activity_recorded",
  ],
  ["createWebhookSubscription", (world) => subscribed(world), "webhook_subscription.created"],
  [
    "replaceWebhookSubscription",
    async (world) => {
      const { id } = (await subscribed(world)).body;
      return world.call("replaceWebhookSubscription", {
        path: { subscriptionId: id },
        body: { ...SUBSCRIPTION, state: "DISABLED" },
      });
    },
    "webhook_subscription.updated",
  ],
  [
    "replaceWebhookSubscription",
    async (world) => {
      const { id } = (await subscribed(world)).body;
      return world.call("replaceWebhookSubscription", { path: { subscriptionId: id }, body: SUBSCRIPTION });
    },
    "",
  ],
  [
    "deleteWebhookSubscription",
    async (world) => {
      const { id } = (await subscribed(world)).body;
      return world.call("deleteWebhookSubscription", { path: { subscriptionId: id } });
    },
    "webhook_subscription.deleted",
  ],
  ["createToken", (world) => world.call("getMe"), "token.issued"],
  ["getMe", (world) => world.call("getMe"), ""],
];

const SUBSCRIPTION = { url: "http://127.0.0.1:1/", event_types: ["v1.event.created"], state: "ENABLED" };
const subscribed = (world: TestWorld) => world.call("createWebhookSubscription", { body: SUBSCRIPTION });

/** What the clock does, when it is moved by so much. */
const clockRows: [what: string, before: Input, by: string, facts: string][] = [
  ["eventCompleted", placed, "P2D", "event.completed journal_entry.created order.updated"],
  ["eventCompleted", lateCheckout, "PT5M", "event.completed order.updated order.cancelled booking.lapsed"],
  ["documentAttached", placed, "PT1M", "journal_entry.document_attached"],
  ["checkoutLapsed", started, "PT15M", "order.updated order.cancelled booking.lapsed"],
  [
    "checkoutLapsed",
    startedAndPaid,
    "PT15M",
    "order.updated order.cancelled journal_entry.created order.updated order.refunded booking.lapsed",
  ],
  ["giftCardExpired", card(), "P3Y", "gift_card.expired journal_entry.created"],
];

/** Where the record stands that a fact is about. */
const COLLECTIONS: Record<string, string> = {
  experience: "experiences",
  event: "events",
  booking: "bookings",
  ticket: "tickets",
  order: "orders",
  gift_card: "giftCards",
  marketing_consent: "consents",
  location: "locations",
  journal_entry: "entries",
  webhook_subscription: "subscriptions",
  key: "keys",
  token: "keys",
};

/** The names, each about a record that is there. */
function told(world: TestWorld, facts: readonly Fact[]): string {
  const collections = sandbox.running.application.worlds.get(world.id)!.copy() as unknown as Record<
    string,
    Map<string, 1>
  >;
  for (const { fact, id } of facts) {
    if (fact === "webhook_subscription.deleted") continue;
    expect(collections[COLLECTIONS[fact.split(".")[0]!]!]!.get(id), `${fact} ${id}`).toBeDefined();
  }
  return facts.map(({ fact }) => fact).join(" ");
}

describe("An act tells its facts:", () => {
  it.each(actRows)("%s", async (act, input, facts) => {
    const world = await smallWorld(sandbox);
    const answer = await world.act(act, await inputFor(world, input));
    expect(answer.status, answer.text).toBe(200);
    expect(told(world, answer.body.facts)).toBe(facts);
  });
});

describe("A request tells its facts:", () => {
  it.each(requestRows)("%s", async (operation, request, facts) => {
    const world = await smallWorld(sandbox);
    expect((await request(world)).status).toBeLessThan(300);
    const { body } = await world.control("get", `requests?operation=${operation}`);
    expect(told(world, body.items.at(-1).facts)).toBe(facts);
  });
});

describe("The clock tells its facts:", () => {
  it.each(clockRows)("%s", async (what, before, by, facts) => {
    const world = await smallWorld(sandbox);
    await inputFor(world, before);
    const { body } = await world.control("post", "clock/advance", { by });
    const line = body.receipt.find((each: Body) => each.what === what);
    expect(told(world, line.facts)).toBe(facts);
  });
});

it("every act is in the table, and every fact is emitted by an act", () => {
  expect(new Set(actRows.map(([act]) => act))).toEqual(new Set(acts.map(({ id }) => id as string)));
  const all = [
    ...actRows.map(([, , facts]) => facts),
    ...requestRows.map(([, , facts]) => facts),
    ...clockRows.map((row) => row[3]),
  ];
  expect([...new Set(all.flatMap((facts) => facts.split(" ")))].filter((fact) => fact !== "").sort()).toEqual(
    [...valuesOf("FactName")].sort(),
  );
});
