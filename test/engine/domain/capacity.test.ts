// Whether a basket can still be booked, and which refusal wins. Assumptions: booking-check-order, booking-resources,
// booking-item-unknown, tickets, availability-shape.
import { describe, expect, it } from "vitest";
import { book, item, worldForTests } from "../../world-for-tests.ts";

const boats = (quantity: number) => [item("var-boat", quantity)];

describe("Seats", () => {
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
    ])("move with their booking as they were sold, if %s", (_, ticket_variants) => {
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

  it("and kayaks must still be available when an event is rescheduled", () => {
    const world = worldForTests();
    book(world, { items: boats(2) });
    book(world, { event_id: "evt-late", items: boats(2) });
    const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" }];
    expect(world.refusal("updateEvent", { event_id: "evt-late", sessions })).toBe("NOT_ENOUGH_RESOURCES");
    expect(world.event("evt-late").sessions[0]?.start_time).toBe("2030-06-03T12:00:00");
  });
});
