// The tables of states: none leads where it does not know, none has a state that nothing leads to; a move that is not in a table
// is refused with the states it may come from.
import { describe, expect, it } from "vitest";
import {
  bookingStates,
  type LifeCycle,
  lifeCycles,
  move,
  problemsOf,
} from "../../../src/engine/domain/kernel/transitions.ts";
import { book, worldForTests } from "../../world-for-tests.ts";

describe("The table of each life cycle", () => {
  it.each(lifeCycles)("of a $kind is whole", (cycle) => {
    expect(problemsOf(cycle)).toEqual([]);
  });

  const cases: [string, Partial<LifeCycle<string>>, string][] = [
    ["a start it does not know", { starts: ["NEW", "LOST"] }, "thing: the table leads to LOST, which it does not know"],
    ["a way to nowhere", { moves: { NEW: ["OLD", "GONE"], OLD: [] } }, "thing: the table leads to GONE"],
    ["a state that nothing leads to", { moves: { NEW: [], OLD: [] } }, "thing: nothing leads to OLD"],
  ];
  it.each(cases)("is refused with %s", (_, change, problem) => {
    const whole = { kind: "thing", starts: ["NEW"], moves: { NEW: ["OLD"], OLD: [] } };
    expect(problemsOf(whole)).toEqual([]);
    expect(problemsOf({ ...whole, ...change }).join("\n")).toContain(problem);
  });
});

describe("A booking", () => {
  const states = Object.keys(bookingStates.moves) as (keyof typeof bookingStates.moves)[];
  const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));
  it.each(pairs)("that is %s becomes %s only as the table says", (from, to) => {
    const allowed = (bookingStates.moves[from] as readonly string[]).includes(to);
    const attempt = () => move(bookingStates, "bkg-1", from, to);
    if (allowed) expect(attempt()).toBe(to);
    else expect(attempt).toThrow(`booking bkg-1 is ${from} and can't become ${to}. Allowed in: `);
  });

  it("that is CHECKED_IN becomes CANCELLED only with its event, and the refusal says so", () => {
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
