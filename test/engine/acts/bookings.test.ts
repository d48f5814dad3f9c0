// Acts on bookings and tickets: what they answer, what they change, what they tell, and what refuses them. Assumptions:
// booking-transitions, booking-move, booking-fee, cancel-keeps-money, order-transitions, answers.
import { describe, expect, it } from "vitest";
import { ANNA, book, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const reported = (world: TestWorld, about: string) =>
  world.facts.map(({ fact }) => fact).filter((fact) => fact.startsWith(about));
const start = { event_id: "evt-noon", customer: ANNA, items: [item("var-adult", 2)] };

describe("bookAsHost", () => {
  it("creates a free booking as PAID without a transaction, and makes it payable after it grows", () => {
    const world = worldForTests();
    const free = book(world, { discounts: [{ code: "ALL", percent: 100 }] });
    expect(world.order(free.order_id)).toMatchObject({ payment_status: "PAID", transactions: [] });
    world.act("updateBooking", { booking_id: free.id, items: [item("var-adult", 3)] });
    expect(world.order(free.order_id).payment_status).toBe("UNPAID");
  });
});

describe("The booking fee", () => {
  const custom = { price: { currency: "DKK", value: 500, exponent: 2 }, vat_rate: "0.25" };
  it.each([
    ["startCheckout", undefined, 1501],
    ["startCheckout", false, 0],
    ["bookAsHost", undefined, 0],
    ["bookAsHost", true, 1501],
    ["bookAsHost", custom, 500],
  ] as const)("%s with %j charges %i", (act, booking_fee, fee) => {
    const world = worldForTests();
    const { order_id } = world.act(act, { ...start, ...(booking_fee === undefined ? {} : { booking_fee }) });
    expect(world.order(order_id).totals.amount.value).toBe(49800 + fee);
  });

  it("uses decimals that its currency has", () => {
    const booking_fee = { ...custom, price: { ...custom.price, exponent: 0 } };
    expect(worldForTests().refusal("bookAsHost", { ...start, booking_fee })).toBe("INVALID_INPUT");
  });
});

describe("A checkout", () => {
  it.each(["abandonCheckout", "cancelBooking"] as const)(
    "that ends with %s refunds the payment, and notifies no guest",
    (act) => {
      const world = worldForTests();
      const { id, order_id } = world.act("startCheckout", start);
      world.act("payOrder", { order_id, amount: 1000 });
      world.act("payOrder", { order_id, amount: 1000, status: "INITIATED" });
      world.act(act, { booking_id: id });
      expect(reported(world, "booking.")).toEqual(["booking.abandoned"]);
      expect(world.order(order_id)).toMatchObject({ status: "CANCELLED", payment_status: "REFUNDED" });
      expect(world.order(order_id).transactions.map(({ status }) => status)).toEqual(["COMPLETED", "CANCELLED"]);
      expect(world.event("evt-noon").capacity.reserved).toBe(0);
      expect(() => world.act("completeCheckout", { booking_id: id })).toThrow(`checkout ${id} is ABANDONED`);
    },
  );
});

describe("moveBooking", () => {
  it("creates a new booking with the order, the remaining tickets and the answers", () => {
    const world = worldForTests();
    const answers = [{ information_request_id: "ask-shoes", answer: "42", ticket: 1 }];
    const old = book(world, { items: [item("var-adult", 3), item("add-lunch", 2)], answers });
    world.act("voidTicket", { ticket_id: old.tickets[2].id });
    const moved = world.act("moveBooking", { booking_id: old.id, event_id: "evt-late" });
    expect(world.booking(old.id).status).toBe("MOVED");
    expect(moved).toMatchObject({ status: "ACTIVE", event_id: "evt-late", order_id: old.order_id });
    expect(moved.tickets).toHaveLength(2);
    expect(world.booking(moved.id).answers[0]?.ticket_id).toBe(moved.tickets[1].id);
    expect(world.order(old.order_id).origin).toEqual({ type: "BOOKING", id: moved.id });
    expect(reported(world, "booking.")).toEqual(["booking.moved", "booking.created"]);
    expect(world.refusal("moveBooking", { booking_id: old.id, event_id: "evt-noon" })).toBe("WRONG_STATE");
  });

  it("allows a refund of one of the tickets with its new id", () => {
    const world = worldForTests();
    const old = book(world);
    const moved = world.act("moveBooking", { booking_id: old.id, event_id: "evt-late" });
    const order = world.act("refundOrder", { order_id: old.order_id, ticket_id: moved.tickets[0].id });
    expect(order.refunds[0].amount.value).toBe(24900);
  });
});

describe("updateBooking", () => {
  it("creates tickets and lines for new items, and assigns add-ons where they fit", () => {
    const world = worldForTests();
    const { id, order_id } = book(world, { items: [item("var-adult"), item("var-boat")] });
    const items = [item("var-adult", 2), item("var-boat"), item("add-lunch"), item("add-photo")];
    const grown = world.act("updateBooking", { booking_id: id, items });
    expect(grown.tickets.map((ticket: { items: unknown }) => ticket.items)).toEqual([
      [item("var-adult")],
      [item("var-boat"), item("add-photo")],
      [item("var-adult"), item("add-lunch")],
    ]);
    expect(world.order(order_id).totals.amount.value).toBe(24900 * 2 + 59999 + 9950 + 3333);
    expect(world.order(order_id).payment_status).toBe("PARTIALLY_PAID");
  });

  it("shows later items like items of the first purchase", () => {
    const world = worldForTests();
    const both = [item("var-adult", 2), item("var-boat")];
    const { id, order_id } = book(world, { items: [item("var-adult", 2)] });
    world.act("updateBooking", { booking_id: id, items: both });
    const lines = (order: string) =>
      world.order(order).line_items.map(({ product_id, gross, net, vat, vat_rate }: Record<string, unknown>) => ({
        product_id,
        gross,
        net,
        vat,
        vat_rate,
      }));
    const atOnce = book(world, { items: both }).order_id;
    expect(world.order(order_id).totals).toEqual(world.order(atOnce).totals);
    expect(lines(order_id)).toEqual(lines(atOnce));
  });

  it("adds nothing for an event that is not on sale", () => {
    const world = worldForTests();
    const { id, event_id } = book(world, { items: [item("var-adult")] });
    world.act("deactivateEvent", { event_id });
    const more = { booking_id: id, items: [item("var-adult", 2)] };
    expect(world.refusal("updateBooking", more)).toBe("EVENT_NOT_ACTIVE");
    expect(world.booking(id).items).toEqual([item("var-adult")]);
  });

  it("never removes items, but counts a voided ticket as removed", () => {
    const world = worldForTests();
    const { id, tickets } = book(world);
    const one = { booking_id: id, items: [item("var-adult")] };
    expect(world.refusal("updateBooking", one)).toBe("ITEMS_ONLY_GROW");
    world.act("voidTicket", { ticket_id: tickets[0].id });
    expect(world.refusal("updateBooking", one)).toBe("done");
  });
});

describe("Tickets", () => {
  it("make their booking CHECKED_IN with the first check-in, and ACTIVE after the last is undone", () => {
    const world = worldForTests();
    const { id, tickets } = book(world);
    const [first, second] = tickets.map((ticket: { id: string }) => ({ ticket_id: ticket.id }));
    expect(world.act("checkInTicket", first).check_in).toEqual({
      check_in_time: world.now,
      checked_in_by: "usr-host",
      method: "MANUAL",
    });
    world.act("checkInTicket", { ...second, method: "QR_CODE_SCAN", checked_in_by: "usr-gate" });
    expect(world.refusal("checkInTicket", first)).toBe("WRONG_STATE");
    expect(world.refusal("voidTicket", first)).toBe("WRONG_STATE");
    expect(world.act("undoCheckIn", first)).not.toHaveProperty("check_in");
    expect(world.booking(id).status).toBe("CHECKED_IN");
    world.act("undoCheckIn", second);
    expect(world.booking(id).status).toBe("ACTIVE");
  });
});
