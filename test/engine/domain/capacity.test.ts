// Whether a basket can still be booked, and which refusal wins. Assumptions: booking-check-order, booking-resources,
// booking-item-unknown, tickets, availability-shape.
import { describe, expect, it } from "vitest";
import { book, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const adult = (quantity = 1) => [item("var-adult", quantity)];
const boats = (quantity: number) => [item("var-boat", quantity)];
const input = (more: object = {}) => ({ event_id: "evt-noon", customer: { name: "Bo" }, items: adult(), ...more });

/** Things that stand against a booking, the first to be named first. */
const OBSTACLES: [code: string, put: (world: TestWorld) => void][] = [
  ["EVENT_NOT_ACTIVE", (world) => world.act("deactivateEvent", { event_id: "evt-noon" })],
  ["EVENT_PAST_CUTOFF", (world) => world.act("updateEvent", { event_id: "evt-noon", booking_cutoff: "P30D" })],
  ["EVENT_EXCLUSIVITY_LOCKED", (world) => world.act("lockEvent", { event_id: "evt-noon", booking_id: book(world).id })],
  ["NOT_ENOUGH_RESOURCES", () => undefined],
];

describe("Of several refusals", () => {
  it.each(OBSTACLES.map(([code], index) => [code, index] as const))("%s comes before those after it", (code, index) => {
    const world = worldForTests();
    for (const [, put] of OBSTACLES.slice(index).reverse()) put(world);
    expect(world.refusal("bookAsHost", input({ items: adult(11) }))).toBe(code);
  });

  it("what the experience does not offer comes before all of them", () => {
    const world = worldForTests();
    world.act("deactivateEvent", { event_id: "evt-noon" });
    expect(world.refusal("bookAsHost", input({ items: [item("var-ghost")] }))).toBe("INVALID_ITEM");
  });
});

describe("A basket", () => {
  it.each([
    ["of add-ons only", [item("add-lunch")]],
    ["with an add-on whose variant is not in it", [item("var-adult"), item("add-photo")]],
    ["with an add-on as a variant", [{ type_id: "add-lunch", item_type: "VARIANT", quantity: 1 }]],
    ["with a variant as an add-on", [item("var-adult"), { type_id: "var-boat", item_type: "ADDON", quantity: 1 }]],
    ["with something unknown", [{ type_id: "var-adult", item_type: "UNKNOWN", quantity: 1 }]],
  ])("%s is invalid", (_, items) => {
    expect(worldForTests().refusal("bookAsHost", input({ items }))).toBe("INVALID_ITEM");
  });

  it.each([
    ["seats", [], adult(11), "its seats"],
    ["seats of a large variant", adult(8), boats(1), "its seats"],
    ["units of a variant", boats(1), boats(2), "var-boat"],
    ["units of an add-on", [...adult(3), item("add-lunch", 3)], [...adult(3), item("add-lunch", 3)], "add-lunch"],
    ["items of one type taken together", [], [...adult(6), ...adult(5)], "its seats"],
  ])("is refused for want of %s", (_, before, items, what) => {
    const world = worldForTests();
    if (before.length > 0) book(world, { items: before });
    expect(world.refusal("bookAsHost", input({ items }))).toBe("NOT_ENOUGH_RESOURCES");
    expect(() => world.act("bookAsHost", input({ items }))).toThrow(what);
  });

  it("is refused when an event beside it has the shared kayaks out, and not on another day", () => {
    const world = worldForTests();
    book(world, { event_id: "evt-beside", items: boats(2) });
    expect(() => book(world, { items: boats(2) })).toThrow("the shared resource res-kayak");
    expect(world.refusal("bookAsHost", input({ event_id: "evt-late", items: boats(2) }))).toBe("done");
  });

  it("is spread over one ticket a variant, its add-ons in order", () => {
    const world = worldForTests();
    const { id } = book(world, { items: [...adult(2), item("add-lunch", 3)] });
    expect(world.tickets(id).map(({ items }) => items)).toEqual([
      [item("var-adult"), item("add-lunch", 2)],
      [item("var-adult"), item("add-lunch", 1)],
    ]);
  });
});

describe("Seats", () => {
  const left = (world: TestWorld) => 10 - world.event("evt-noon").capacity.reserved;

  it.each([
    ["a cancellation", (world: TestWorld, id: string) => world.act("cancelBooking", { booking_id: id }), 10],
    [
      "a move",
      (world: TestWorld, id: string) => world.act("moveBooking", { booking_id: id, event_id: "evt-late" }),
      10,
    ],
    [
      "a voided ticket",
      (world: TestWorld, id: string) => world.act("voidTicket", { ticket_id: world.tickets(id)[0]?.id }),
      9,
    ],
  ])("are free again after %s", (_, undo, free) => {
    const world = worldForTests();
    const { id } = book(world);
    expect(left(world)).toBe(8);
    undo(world, id);
    expect(left(world)).toBe(free);
  });

  it("are given back as they were taken, though the experience has changed since", () => {
    const world = worldForTests();
    const { id } = book(world, { items: [item("var-boat"), item("add-photo")] });
    const ticket_variants = [
      { id: "var-new", name: "New", price: { currency: "DKK", value: 1, exponent: 2 }, vat_rate: "0" },
    ];
    world.act("updateExperience", { experience_id: "exp-tour", ticket_variants });
    world.act("cancelBooking", { booking_id: id });
    expect(world.event("evt-noon")).toMatchObject({
      capacity: { reserved: 0 },
      sold: { "var-boat": 0, "add-photo": 0 },
    });
  });

  describe.each([{}, { tickets: "per-booking" }, { "booking-move": "same-booking" }])("with %j", (assumptions) => {
    const kayaks = (quantity: number) => [{ resource_id: "res-kayak", quantity }];
    const cheap = { price: { currency: "DKK", value: 1, exponent: 2 }, vat_rate: "0" };
    const paddle = { ...cheap, id: "add-paddle", name: "Paddle", resources: kayaks(1) };
    const guest = {
      ...cheap,
      id: "var-guest",
      name: "Guest",
      seats: 1,
      resources: kayaks(1),
      add_on_variants: [paddle],
    };
    const child = { ...cheap, id: "var-child", name: "Child", seats: 1, add_on_variants: [paddle] };

    it.each([
      ["nothing has changed", [guest, child]],
      ["a variant needs more", [{ ...guest, seats: 4, resources: kayaks(4) }, child]],
      [
        "an add-on is gone",
        [
          { ...guest, add_on_variants: [] },
          { ...child, add_on_variants: [] },
        ],
      ],
      ["a variant is gone, and its add-on is still there", [child]],
      ["all are gone", [{ ...cheap, id: "var-new", name: "New" }]],
    ])("move with their booking as they were sold, where %s", (_, ticket_variants) => {
      const world = worldForTests(assumptions);
      world.act("updateExperience", { experience_id: "exp-tour", ticket_variants: [guest, child] });
      const { id } = book(world, { items: [item("var-guest", 2), item("var-child", 2), item("add-paddle", 3)] });
      const held = (event: string) => {
        const { capacity, sold, resources_used } = world.event(event);
        return { seats: capacity.reserved, sold, resources_used };
      };
      const sold = { "var-guest": 2, "var-child": 2, "add-paddle": 3 };
      expect(held("evt-noon")).toEqual({ seats: 4, sold, resources_used: { "res-kayak": 5 } });
      world.act("updateExperience", { experience_id: "exp-tour", ticket_variants });
      const moved = world.act("moveBooking", { booking_id: id, event_id: "evt-late" });
      expect(held("evt-late")).toEqual({ seats: 4, sold, resources_used: { "res-kayak": 5 } });
      const none = { "var-guest": 0, "var-child": 0, "add-paddle": 0 };
      expect(held("evt-noon")).toEqual({ seats: 0, sold: none, resources_used: {} });
      world.act("cancelBooking", { booking_id: moved.id });
      expect(held("evt-late")).toEqual({ seats: 0, sold: none, resources_used: {} });
    });
  });

  it("of a checkout are held until it lapses", () => {
    const world = worldForTests();
    const { id } = world.act("startCheckout", input({ items: adult(4) }));
    expect(left(world)).toBe(6);
    world.advance("2030-06-01T09:14:59.999Z");
    expect(left(world)).toBe(6);
    world.advance("2030-06-01T09:15:00.000Z");
    expect(left(world)).toBe(10);
    expect(world.booking(id).status).toBe("CANCELLED");
  });

  it("of a locked event are for its holder alone, until the holder is gone", () => {
    const world = worldForTests();
    const { id } = book(world);
    world.act("lockEvent", { event_id: "evt-noon", booking_id: id });
    expect(world.refusal("bookAsHost", input())).toBe("EVENT_EXCLUSIVITY_LOCKED");
    expect(world.refusal("updateBooking", { booking_id: id, items: adult(4) })).toBe("done");
    world.act("cancelBooking", { booking_id: id });
    expect(world.refusal("bookAsHost", input())).toBe("done");
  });

  it("and kayaks must still be there when an event is given another time", () => {
    const world = worldForTests();
    book(world, { items: boats(2) });
    book(world, { event_id: "evt-late", items: boats(2) });
    const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" }];
    expect(world.refusal("updateEvent", { event_id: "evt-late", sessions })).toBe("NOT_ENOUGH_RESOURCES");
    expect(world.event("evt-late").sessions[0]?.start_time).toBe("2030-06-03T12:00:00");
  });
});
