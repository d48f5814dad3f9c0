// The tables of states: none leads where it does not know, none has a state that nothing leads to; a move that is not in a table
// is refused with the states it may come from.
import { describe, expect, it } from "vitest";
import { bookingStates, findCycleProblems, lifeCycles, move } from "../../../src/engine/domain/kernel/transitions.ts";
import { book, worldForTests } from "../../world-for-tests.ts";

describe("The table of each life cycle", () => {
  it.each(lifeCycles)("of a $kind is complete", (cycle) => {
    expect(findCycleProblems(cycle)).toEqual([]);
  });
});

describe("A booking", () => {
  it("that is CHECKED_IN becomes CANCELLED only with its event, and the rejection explains it", () => {
    expect(() => move(bookingStates, "bkg-1", "CHECKED_IN", "CANCELLED")).toThrow(
      "Allowed in: PROCESSING, ACTIVE, CHECKED_IN only with its event (cancelEvent).",
    );
    const world = worldForTests();
    const { id, tickets } = book(world);
    world.act("checkInTicket", { ticket_id: tickets[0].id, method: "MANUAL", checked_in_by: "usr-host" });
    expect(world.booking(id).status).toBe("CHECKED_IN");
    expect(world.refusal("cancelBooking", { booking_id: id })).toBe("WRONG_STATE");
    world.act("cancelEvent", { event_id: "evt-noon" });
    expect(world.booking(id).status).toBe("CANCELLED");
    expect(bookingStates.along).toEqual({
      CHECKED_IN: { with: expect.stringContaining("cancelEvent"), to: ["CANCELLED"] },
    });
  });
});
