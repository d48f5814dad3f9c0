// Acts on bookings and tickets: what they answer, what they change, what they tell, and what refuses them. Assumptions:
// booking-transitions, booking-move, booking-fee, cancel-keeps-money, order-transitions, answers.
import { describe, expect, it } from "vitest";
import { ANNA, book, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const reported = (world: TestWorld, about: string) =>
  world.facts.map(({ fact }) => fact).filter((fact) => fact.startsWith(about));
const kinds = (world: TestWorld) => world.entries().map(({ kind }) => kind);
const start = { event_id: "evt-noon", customer: ANNA, items: [item("var-adult", 2)] };

describe("bookAsHost", () => {
  it("answers the booking with its order and tickets", () => {
    const world = worldForTests();
    const made = book(world, { id: "bkg-1", metadata: { reference: "A-1" }, source: "desk" });
    expect(made).toMatchObject({ id: "bkg-1", status: "ACTIVE", source: "desk", metadata: { reference: "A-1" } });
    expect(made.tickets).toHaveLength(2);
    expect(made).not.toHaveProperty("items");
    expect(world.order(made.order_id)).toMatchObject({ status: "COMPLETED", payment_status: "PAID", number: "1001" });
    expect(reported(world, "booking.")).toEqual(["booking.created"]);
  });

  it.each([
    ["nothing", undefined, "UNPAID", 0],
    ["an empty list", [], "UNPAID", 0],
    ["a part", [{ amount: 100 }], "PARTIALLY_PAID", 1],
    ["a part and the rest", [{ amount: 100, provider: "ADYEN" }, {}], "PAID", 2],
    ["a payment under way", [{ status: "INITIATED" }], "UNPAID", 1],
    ["a price in the right currency", [{ amount: { currency: "DKK", value: 49800, exponent: 2 } }], "PAID", 1],
  ])("with %s for payments is paid accordingly", (_, payments, status, transactions) => {
    const world = worldForTests();
    const { order_id } = world.act("bookAsHost", { ...start, ...(payments ? { payments } : {}) });
    expect(world.order(order_id).payment_status).toBe(status);
    expect(world.order(order_id).transactions).toHaveLength(transactions);
  });

  it.each([
    ["CURRENCY_MISMATCH", { currency: "EUR", value: 1, exponent: 2 }],
    ["INVALID_INPUT", { currency: "DKK", value: 1, exponent: 3 }],
    ["INVALID_INPUT", 0],
    ["AMOUNT_TOO_HIGH", 49801],
  ])("is refused with %s when paid %j", (code, amount) => {
    expect(worldForTests().refusal("bookAsHost", { ...start, payments: [{ amount }] })).toBe(code);
  });

  it("a free booking is PAID without a transaction, and open again once it grows", () => {
    const world = worldForTests();
    const free = book(world, { discounts: [{ code: "ALL", percent: 100 }] });
    expect(world.order(free.order_id)).toMatchObject({ payment_status: "PAID", transactions: [] });
    world.act("updateBooking", { booking_id: free.id, items: [item("var-adult", 3)] });
    expect(world.order(free.order_id).payment_status).toBe("UNPAID");
  });

  it("keeps answers with the ticket they are about, and refuses those to other questions", () => {
    const world = worldForTests();
    const shoes = { information_request_id: "ask-shoes", answer: "42", ticket: 1 };
    const made = book(world, { answers: [{ information_request_id: "ask-hotel", answer: "Astoria" }, shoes] });
    expect(world.booking(made.id).answers).toEqual([
      { information_request_id: "ask-hotel", label: { da: "Hotel?" }, answer: "Astoria" },
      {
        ...{ information_request_id: "ask-shoes", label: { da: "Skostørrelse?" }, answer: "42" },
        ticket_id: made.tickets[1].id,
      },
    ]);
    const refused = (answer: object) => world.refusal("bookAsHost", { ...start, answers: [answer] });
    expect(refused({ information_request_id: "ask-ghost", answer: "" })).toBe("INVALID_INPUT");
    expect(refused({ ...shoes, ticket: 2 })).toBe("INVALID_INPUT");
  });

  it.each([
    ["unknown event", { event_id: "evt-ghost" }, "NOT_FOUND"],
    ["deleted event", { event_id: "evt-late" }, "NOT_FOUND"],
    ["id that is taken", { id: "bkg-1" }, "ID_TAKEN"],
  ])("is refused for an %s", (_, more, code) => {
    const world = worldForTests();
    book(world, { id: "bkg-1" });
    world.act("deleteEvent", { event_id: "evt-late" });
    expect(world.refusal("bookAsHost", { ...start, ...more })).toBe(code);
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

  it("is in decimals that its currency has", () => {
    const booking_fee = { ...custom, price: { ...custom.price, exponent: 0 } };
    expect(worldForTests().refusal("bookAsHost", { ...start, booking_fee })).toBe("INVALID_INPUT");
  });
});

describe("A checkout", () => {
  it("is PROCESSING without tickets, and is paid in full once it is completed", () => {
    const world = worldForTests();
    const { id, status, order_id, tickets } = world.act("startCheckout", start);
    expect({ status, tickets, order: world.order(order_id).status }).toEqual({
      status: "PROCESSING",
      tickets: [],
      order: "PENDING",
    });
    expect(reported(world, "booking.")).toEqual(["booking.started"]);
    const done = world.act("completeCheckout", { booking_id: id });
    expect(done).toMatchObject({ id, status: "ACTIVE" });
    expect(done.tickets).toHaveLength(2);
    expect(world.order(order_id)).toMatchObject({ status: "COMPLETED", payment_status: "PAID" });
    expect(reported(world, "booking.")).toEqual(["booking.created"]);
    expect(world.refusal("abandonCheckout", { booking_id: id })).toBe("WRONG_STATE");
    expect(world.refusal("completeCheckout", { booking_id: id })).toBe("WRONG_STATE");
    world.act("cancelBooking", { booking_id: id });
    expect(() => world.act("completeCheckout", { booking_id: id })).toThrow(`checkout ${id} is COMPLETED`);
  });

  it.each(["abandonCheckout", "cancelBooking"] as const)(
    "that ends with %s gives back what was paid, and tells no guest",
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

  it("does not outlive its event", () => {
    const world = worldForTests();
    world.act("updateEvent", { event_id: "evt-noon", booking_cutoff: "2030-06-03T00:00:00Z" });
    world.advance("2030-06-02T11:55:00.000Z");
    const { id } = world.act("startCheckout", start);
    world.advance("2030-06-02T12:00:00.000Z");
    expect(world.event("evt-noon").state).toBe("COMPLETED");
    expect(world.refusal("completeCheckout", { booking_id: id })).toBe("WRONG_STATE");
  });
});

describe("cancelBooking", () => {
  it.each([
    ["full", undefined, "REFUNDED", ["SALE", "REFUND"]],
    ["none", undefined, "PAID", ["SALE", "REVENUE_RECOGNITION"]],
    ["amount", 10_000, "PARTIALLY_REFUNDED", ["SALE", "REFUND", "REVENUE_RECOGNITION"]],
    ["amount", 0, "PAID", ["SALE", "REVENUE_RECOGNITION"]],
    ["gift_card", undefined, "REFUNDED", ["SALE", "SALE", "REFUND"]],
  ])("with refund %s %s leaves the order %s", (refund, amount, status, entries) => {
    const world = worldForTests();
    const { id, order_id } = book(world);
    const cancelled = world.act("cancelBooking", {
      booking_id: id,
      refund,
      ...(amount === undefined ? {} : { amount }),
    });
    expect(cancelled).toMatchObject({ id, status: "CANCELLED", order_id });
    expect(cancelled.tickets.map((ticket: { status: string }) => ticket.status)).toEqual(["VOIDED", "VOIDED"]);
    expect(world.order(order_id)).toMatchObject({ status: "CANCELLED", payment_status: status });
    expect(kinds(world)).toEqual(entries);
  });

  it("gives everything back when nothing is said, and happens once", () => {
    const world = worldForTests();
    const { id, order_id } = book(world);
    world.act("cancelBooking", { booking_id: id });
    expect(world.order(order_id).payment_status).toBe("REFUNDED");
    expect(world.refusal("cancelBooking", { booking_id: id })).toBe("WRONG_STATE");
    expect(world.refusal("payOrder", { order_id })).toBe("ORDER_NOT_PAYABLE");
  });

  it.each([
    ["amount", undefined, "INVALID_INPUT"],
    ["full", 10, "INVALID_INPUT"],
    ["amount", 49_801, "AMOUNT_TOO_HIGH"],
  ])("with refund %s %s is refused", (refund, amount, code) => {
    const world = worldForTests();
    const { id } = book(world);
    expect(world.refusal("cancelBooking", { booking_id: id, refund, ...(amount ? { amount } : {}) })).toBe(code);
    expect(world.booking(id).status).toBe("ACTIVE");
  });

  it("is refused while a guest is checked in", () => {
    const world = worldForTests();
    const { id, tickets } = book(world);
    world.act("checkInTicket", { ticket_id: tickets[0].id });
    expect(world.refusal("cancelBooking", { booking_id: id })).toBe("WRONG_STATE");
  });
});

describe("moveBooking", () => {
  it("makes a new booking with the order, the tickets left and the answers", () => {
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

  it("lets one of the tickets be refunded under its new id", () => {
    const world = worldForTests();
    const old = book(world);
    const moved = world.act("moveBooking", { booking_id: old.id, event_id: "evt-late" });
    const order = world.act("refundOrder", { order_id: old.order_id, ticket_id: moved.tickets[0].id });
    expect(order.refunds[0].amount.value).toBe(24900);
  });

  it.each([
    ["evt-noon", "SAME_EVENT"],
    ["evt-other", "OTHER_EXPERIENCE"],
    ["evt-ghost", "NOT_FOUND"],
    ["evt-beside", "EVENT_NOT_ACTIVE"],
    ["evt-late", "EVENT_EXCLUSIVITY_LOCKED"],
  ])("to %s is refused with %s", (event_id, code) => {
    const world = worldForTests();
    const variant = { name: "X", price: { currency: "DKK", value: 1, exponent: 2 }, vat_rate: "0" };
    const { id } = world.act("createExperience", { name: "Other", ticket_variants: [variant] });
    const sessions = [{ start_time: "2030-06-05T10:00", end_time: "2030-06-05T11:00" }];
    world.act("createEvent", { id: "evt-other", experience_id: id, sessions, capacity: 5 });
    const holder = book(world, { event_id: "evt-late" });
    world.act("lockEvent", { event_id: "evt-late", booking_id: holder.id });
    world.act("deactivateEvent", { event_id: "evt-beside" });
    expect(world.refusal("moveBooking", { booking_id: book(world).id, event_id })).toBe(code);
  });

  it("is refused after the event, and without a ticket that is left", () => {
    const world = worldForTests();
    const empty = book(world, { items: [item("var-adult")] });
    world.act("voidTicket", { ticket_id: empty.tickets[0].id });
    expect(world.refusal("moveBooking", { booking_id: empty.id, event_id: "evt-late" })).toBe("NO_TICKETS_LEFT");
    const { id } = book(world);
    world.advance("2030-06-02T12:00:00.000Z");
    expect(world.refusal("moveBooking", { booking_id: id, event_id: "evt-late" })).toBe("WRONG_STATE");
  });
});

describe("updateBooking", () => {
  it("makes tickets and lines for what is new, and puts add-ons where they can go", () => {
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

  it("says of what is bought later what it says of what is bought at once", () => {
    const world = worldForTests();
    const both = [item("var-adult", 2), item("var-boat")];
    const { id, order_id } = book(world, { items: [item("var-adult", 2)] });
    world.act("updateBooking", { booking_id: id, items: both });
    const lines = (order: string) =>
      world.order(order).line_items.map(({ product_id, gross, net, vat, vat_rate }: Record<string, unknown>) => ({
        ...{ product_id, gross, net, vat, vat_rate },
      }));
    const atOnce = book(world, { items: both }).order_id;
    expect(world.order(order_id).totals).toEqual(world.order(atOnce).totals);
    expect(lines(order_id)).toEqual(lines(atOnce));
  });

  it("takes nothing more for an event that is not on sale", () => {
    const world = worldForTests();
    const { id, event_id } = book(world, { items: [item("var-adult")] });
    world.act("deactivateEvent", { event_id });
    const more = { booking_id: id, items: [item("var-adult", 2)] };
    expect(world.refusal("updateBooking", more)).toBe("EVENT_NOT_ACTIVE");
    expect(world.booking(id).items).toEqual([item("var-adult")]);
  });

  it("never takes items away, but counts a voided ticket as gone", () => {
    const world = worldForTests();
    const { id, tickets } = book(world);
    const one = { booking_id: id, items: [item("var-adult")] };
    expect(world.refusal("updateBooking", one)).toBe("ITEMS_ONLY_GROW");
    world.act("voidTicket", { ticket_id: tickets[0].id });
    expect(world.refusal("updateBooking", one)).toBe("done");
  });

  it("changes what the booking and its order say of the guest", () => {
    const world = worldForTests();
    const { id, order_id } = book(world);
    const company = { customer_type: "COMPANY", company_name: "Holm ApS", name: "Anna", email: "a@holm.example" };
    const changed = world.act("updateBooking", {
      booking_id: id,
      customer: company,
      internal_note: "VIP",
      locale: "en",
    });
    expect(changed).toMatchObject({ internal_note: "VIP", locale: "en", customer: { ...company, full_name: "Anna" } });
    expect(world.order(order_id).customer).toEqual(changed.customer);
    expect(reported(world, "booking.")).toEqual(["booking.updated"]);
  });
});

describe("Tickets", () => {
  it("make their booking CHECKED_IN with the first, and ACTIVE when none is any more", () => {
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

describe("bookTimeslot", () => {
  const slot = {
    experience_id: "exp-tour",
    start_time: "2030-06-04T06:00",
    customer: ANNA,
    items: [item("var-adult", 2)],
  };
  it("makes an event of a free slot, once", () => {
    const world = worldForTests();
    const made = world.act("bookTimeslot", { ...slot, new_event_id: "evt-slot", payments: [{}] });
    expect(made.event_id).toBe("evt-slot");
    expect(world.event("evt-slot").capacity).toEqual({ total: 4, reserved: 2 });
    expect(world.refusal("bookTimeslot", slot)).toBe("SLOT_NOT_FREE");
  });

  it.each([
    ["2030-06-04T06:30", "SLOT_NOT_FREE"],
    ["2030-06-01T06:00", "SLOT_NOT_FREE"],
    ["2030-02-30T06:00", "INVALID_INPUT"],
  ])("at %s is refused", (start_time, code) => {
    expect(worldForTests().refusal("bookTimeslot", { ...slot, start_time })).toBe(code);
  });

  it("makes no event when the booking is refused", () => {
    const world = worldForTests();
    expect(world.refusal("bookTimeslot", { ...slot, items: [item("var-adult", 5)] })).toBe("NOT_ENOUGH_RESOURCES");
    expect(world.collections.events.size).toBe(3);
  });
});
