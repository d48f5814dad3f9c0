// Whatever integrators, hosts and time do, in whatever order: no answer outside the specification, no seat below nothing or sold
// twice, every order the sum of its lines, and every list the same as its parts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import register from "../src/contract/generated/assumptions.json" with { type: "json" };
import { addOn, allPages, done, guest, type Item, kroner, ticket } from "./engine/operations/kit.ts";
import { extent } from "./extent.ts";
import { type Answered, anna, shareSandbox, type TestWorld } from "./sandbox.ts";

const sandbox = shareSandbox();

type Body = Answered["body"];

/** Two events that overlap and share three kayaks, one later on: few seats, so that everything runs out. */
async function tightWorld(): Promise<TestWorld> {
  const world = await sandbox.world({ fixture: "empty" });
  await done(world, "addLocation", { id: "loc" });
  const photo = { id: "add-photo", name: "Photo", price: kroner(1234), vat_rate: "0", limit: 3 };
  const ticket_variants = [
    { id: "var-one", name: "One", price: kroner(9999), vat_rate: "0.25", add_on_variants: [photo] },
    { id: "var-group", name: "Group", price: kroner(25001), vat_rate: "0.12", seats: 3, limit: 2 },
  ];
  await done(world, "createExperience", {
    id: "exp",
    name: "Tour",
    location_ids: ["loc"],
    ticket_variants,
    booking_fee: { price: kroner(501), vat_rate: "0.25" },
  });
  for (const [id, day, hour] of [
    ["evt-a", "02", "10"],
    ["evt-b", "02", "11"],
    ["evt-c", "04", "10"],
  ]) {
    await done(world, "createEvent", {
      id,
      experience_id: "exp",
      capacity: 7,
      sessions: [{ start_time: `2030-06-${day}T${hour}:00:00`, end_time: `2030-06-${day}T13:00:00` }],
    });
  }
  return world;
}

interface Step {
  what: string;
  a: number;
  b: number;
  items: Item[];
}

const events = ["evt-a", "evt-b", "evt-c", "evt-nowhere"];
const moves = ["PT4M", "PT20M", "PT6H", "P1D"];
const steps = [
  "book",
  "book",
  "book",
  "checkout",
  "complete",
  "abandon",
  "host",
  "cancel",
  "cancel",
  "move",
  "grow",
  "checkIn",
  "undo",
  "void",
  "pay",
  "refund",
  "buy",
  "payByCard",
  "lock",
  "unlock",
  "resize",
  "cancelEvent",
  "clock",
  "clock",
];

const item = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((count) => ticket("var-one", count)),
  fc.constant(ticket("var-group")),
  fc.integer({ min: 1, max: 2 }).map((count) => addOn("add-photo", count)),
);
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...steps),
  a: fc.nat(50),
  b: fc.nat(50),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
});

/** Does a step with what is there by now; a refusal is as good as a deed, but not a failure. */
async function take({ what, a, b, items }: Step, world: TestWorld, undocumented = false): Promise<void> {
  const pick = <T>(list: readonly T[] = []): T | undefined => list[a % Math.max(1, list.length)];
  const event_id = events[b % events.length] ?? "";
  const bookings = async () => (await world.call("listBookings", { query: { limit: 20 } })).body.items as Body[];
  const booking_id = async () => pick(await bookings())?.id ?? "none";
  const order_id = async () =>
    pick((await world.call("listOrders", { query: { limit: 20 } })).body.items as Body[])?.id ?? "none";
  const ticket_id = async () =>
    pick((await world.call("listBookingTickets", { path: { bookingId: await booking_id() } })).body.items as Body[])
      ?.id ?? "none";
  const gift_card_id = async () => pick((await world.call("listGiftCards")).body.items as Body[])?.id ?? "none";
  const act = (name: string, input: object) => world.act(name, input);
  const input = { event_id, customer: guest, items };
  const choice = ["full", "none", "gift_card"][b % 3];
  const deeds: Record<string, () => Promise<Answered>> = {
    book: () => world.call("createBooking", { body: { event_id, customer: anna, locale: "en", items }, undocumented }),
    checkout: () => act("startCheckout", input),
    complete: async () =>
      act("completeCheckout", {
        booking_id: (await bookings()).find(({ status }) => status === "PROCESSING")?.id ?? "none",
      }),
    abandon: async () =>
      act("abandonCheckout", {
        booking_id: (await bookings()).find(({ status }) => status === "PROCESSING")?.id ?? "none",
      }),
    host: () =>
      act("bookAsHost", {
        ...input,
        discounts: [{ code: "D", percent: 1 + (a % 100) }],
        payments: a % 2 ? [{ provider: "STRIPE" }] : [],
        booking_fee: b % 2 === 0,
      }),
    cancel: async () => act("cancelBooking", { booking_id: await booking_id(), refund: choice }),
    move: async () => act("moveBooking", { booking_id: await booking_id(), event_id }),
    grow: async () => act("updateBooking", { booking_id: await booking_id(), items }),
    checkIn: async () => act("checkInTicket", { ticket_id: await ticket_id() }),
    undo: async () => act("undoCheckIn", { ticket_id: await ticket_id() }),
    void: async () => act("voidTicket", { ticket_id: await ticket_id() }),
    pay: async () => act("payOrder", { order_id: await order_id(), ...(b % 2 ? { amount: 1 + b * 200 } : {}) }),
    refund: async () =>
      act("refundOrder", {
        order_id: await order_id(),
        ...(b % 2 ? { amount: 1 + b * 200 } : {}),
        to: a % 3 ? "payment_method" : "gift_card",
      }),
    buy: () => act("buyGiftCard", { initial_value: 1 + a * 1000, expires_at: `2030-06-0${2 + (b % 7)}T12:00:00Z` }),
    payByCard: async () => act("payOrder", { order_id: await order_id(), gift_card_id: await gift_card_id() }),
    lock: async () => act("lockEvent", { event_id, booking_id: await booking_id() }),
    unlock: () => act("unlockEvent", { event_id }),
    resize: () => act("updateEvent", { event_id, capacity: b % 12 }),
    cancelEvent: () =>
      a % 5 ? act("deactivateEvent", { event_id }) : act("cancelEvent", { event_id, refund: choice }),
    clock: () => world.control("post", "clock/advance", { by: moves[a % moves.length] }),
  };
  const { status, text } = (await deeds[what]?.()) ?? { status: 0, text: what };
  if (status === 200 && what === "cancelEvent" && a % 5) await act("activateEvent", { event_id });
  expect([200, 201, 400, 404, 409], `${what}: ${text}`).toContain(status);
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

async function mustAddUp(world: TestWorld): Promise<void> {
  const { collections } = (await world.control("get", "state")).body;
  const live = (collections.tickets ?? []).filter(({ status }: Body) => status !== "VOIDED");
  const held = (collections.bookings ?? []).flatMap(({ status, pending_tickets = [] }: Body) =>
    status === "PROCESSING" ? pending_tickets : [],
  );
  for (const { id, capacity } of (await allPages(world, "listEvents", { query: { limit: 2 } })).items) {
    const seats = sum(
      [...live, ...held].filter(({ event_id }: Body) => event_id === id).map((each: Body) => each.seats),
    );
    expect([id, capacity.reserved]).toEqual([id, seats]);
    expect(capacity.reserved).toBeLessThanOrEqual(capacity.total);
  }
  const orders = (await allPages(world, "listOrders", { query: { limit: 3 } })).items;
  for (const { id, totals } of orders) {
    const { items } = (await world.call("listOrderLineItems", { path: { orderId: id } })).body;
    const off = (line: Body) => sum(line.discounts.map(({ amount }: Body) => amount.value));
    expect([id, totals.amount.value, totals.discount.value]).toEqual([
      id,
      sum(items.map((line: Body) => line.quantity * line.unit_price.value - off(line))),
      sum(items.map(off)),
    ]);
  }
  const count = async (query: object) =>
    (await allPages(world, "listBookings", { query: { ...query, limit: 4 } })).items.length;
  const statuses = await Promise.all(["ACTIVE", "CANCELLED", "MOVED", "CHECKED_IN"].map((status) => count({ status })));
  const processing = (collections.bookings ?? []).filter(({ status }: Body) => status === "PROCESSING").length;
  expect([await count({}), sum(statuses) + processing]).toEqual([
    (collections.bookings ?? []).length,
    (collections.bookings ?? []).length,
  ]);
  expect(new Set(orders.map(({ number }) => number)).size).toBe((collections.orders ?? []).length);
}

const entries = register as readonly { id: string; alternatives: { value: string }[] }[];
const flips = entries.flatMap(({ id, alternatives }) =>
  alternatives.map(({ value }) => [`${id}=${value}`, { [id]: value }] as const),
);
/** These are about a status that the specification does not list. */
const STATUSES = ["booking-create-status", "booking-event-unknown"];
const LONG = Boolean(process.env.SANDBOX_LONG);
/** Under one seed, so that a failure stays: of more runs a flip would only meet what these meet without it. */
const RUNS = { default: extent(10, 20, 100), flipped: extent(1, 2, 6) };

/** Plays histories in worlds that assume so. */
async function mustHold(assumptions: Record<string, string>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (history) => {
      const world = await tightWorld();
      if (Object.keys(assumptions).length > 0) await world.control("put", "assumptions", assumptions);
      for (const each of history)
        await take(
          each,
          world,
          STATUSES.some((id) => id in assumptions),
        );
      await mustAddUp(world);
      await world.control("post", "clock/advance", { by: "P1M" });
      await mustAddUp(world);
      await world.control("delete", `worlds/${world.id}`);
    }),
    { seed: 7, numRuns: runs, endOnFailure: !LONG },
  );
}

describe("over random histories", () => {
  it("everything adds up at the end, and no response is out of place", async () => {
    await mustHold({}, RUNS.default);
  });

  // Of the flips a ninth in the usual run: one history takes as long as two hundred tests of a rule.
  it.each(flips.filter((_, at) => LONG || at % 9 === 0))("the same holds with %s", async (_, assumptions) => {
    await mustHold(assumptions, RUNS.flipped);
  });
});
