// Which slots opening rules offer: up to midnight, on the two nights when the clocks change, and two years ahead.
// Assumptions: timeslots, local-time.
import { describe, expect, it } from "vitest";
import { listFreeSlots } from "../../../src/engine/domain/event/timeslots.ts";
import { type Instant, toMillis } from "../../../src/engine/domain/kernel/instant.ts";
import { item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

function ruled(from: string, to: string, duration: string): TestWorld {
  const world = worldForTests();
  const opening_rules = [{ weekdays: EVERY_DAY, from, to, duration, capacity: 4 }];
  world.act("updateExperience", { experience_id: "exp-tour", opening_rules });
  return world;
}

const slots = (world: TestWorld, from: Instant, until: Instant) =>
  world.change((tx) => listFreeSlots(tx, tx.experiences.get("exp-tour") as never, from, until));

/** A slot as its hours on the wall and the minutes that pass in it. */
const brief = (found: ReturnType<typeof slots>) =>
  found.map(
    ({ start_time, end_time, starts_at, ends_at }) =>
      `${start_time.slice(11, 16)}-${end_time.slice(11, 16)} ${(toMillis(ends_at) - toMillis(starts_at)) / 60_000}`,
  );

/** A day in Copenhagen, from midnight to midnight. */
const DAYS = {
  usual: ["2030-06-03T22:00:00.000Z", "2030-06-04T22:00:00.000Z"],
  short: ["2031-03-29T23:00:00.000Z", "2031-03-30T22:00:00.000Z"],
  long: ["2030-10-26T22:00:00.000Z", "2030-10-27T23:00:00.000Z"],
} as const;

describe("A rule", () => {
  it.each<[string, string, string, keyof typeof DAYS, string[]]>([
    ["22:00", "24:00", "PT1H", "usual", ["22:00-23:00 60", "23:00-00:00 60"]],
    ["22:00", "24:00", "PT2H", "usual", ["22:00-00:00 120"]],
    ["21:00", "24:00", "PT90M", "usual", ["21:00-22:30 90", "22:30-00:00 90"]],
    ["00:00", "24:00", "P1D", "usual", ["00:00-00:00 1440"]],
    ["00:00", "24:00", "P1D", "short", ["00:00-00:00 1380"]],
    ["00:00", "24:00", "P1D", "long", ["00:00-00:00 1500"]],
    ["22:00", "23:59", "PT1H", "usual", ["22:00-23:00 60"]],
    ["01:00", "04:00", "PT1H", "short", ["01:00-02:00 60", "03:00-04:00 60"]],
    ["01:00", "04:00", "PT30M", "short", ["01:00-01:30 30", "01:30-02:00 30", "03:00-03:30 30", "03:30-04:00 30"]],
    ["01:30", "04:30", "PT1H", "short", ["01:30-02:30 60", "03:30-04:30 60"]],
    ["00:00", "06:00", "PT2H", "short", ["00:00-02:00 120", "04:00-06:00 120"]],
    ["01:00", "04:00", "PT1H", "long", ["01:00-02:00 60", "02:00-03:00 120", "03:00-04:00 60"]],
  ])("from %s to %s of %s offers on the %s day %j", (from, to, duration, day, offered) => {
    const [start, end] = DAYS[day];
    expect(brief(slots(ruled(from, to, duration), start, end))).toEqual(offered);
  });

  it("offers slots for two years, and no longer", () => {
    const world = ruled("11:00", "12:00", "PT1H");
    const far = slots(world, "2032-05-30T00:00:00.000Z", "2040-01-01T00:00:00.000Z");
    expect(far.map(({ starts_at }) => starts_at)).toEqual(["2032-05-30T09:00:00.000Z", "2032-05-31T09:00:00.000Z"]);
  });
});

describe("Booking", () => {
  const input = { experience_id: "exp-tour", customer: { name: "Bo" }, items: [item("var-adult")] };

  it("a slot until midnight creates an event that ends on the next day", () => {
    const world = ruled("22:00", "24:00", "PT1H");
    const { event_id } = world.act("bookTimeslot", { ...input, start_time: "2030-06-04T23:00" });
    expect(world.event(event_id).sessions[0]).toMatchObject({ end_time: "2030-06-05T00:00:00" });
    expect(brief(slots(world, ...DAYS.usual))).toEqual(["22:00-23:00 60"]);
  });

  it.each(["02:00", "02:30"])("a slot at %s, which the clocks skip, is rejected with its own message", (time) => {
    const world = ruled("01:00", "04:00", "PT30M");
    const slot = { ...input, start_time: `2031-03-30T${time}` };
    expect(world.refusal("bookTimeslot", slot)).toBe("SLOT_SKIPPED");
    expect(() => world.act("bookTimeslot", slot)).toThrow(/no timeslot at 2031-03-30T02.*Europe\/Copenhagen skip/);
    expect(world.refusal("bookTimeslot", { ...slot, start_time: "2031-03-30T02:10" })).toBe("SLOT_NOT_FREE");
  });

  it("a slot that was taken is reported as not free, and so is the overlapping one", () => {
    const world = ruled("01:00", "04:00", "PT1H");
    world.act("bookTimeslot", { ...input, start_time: "2031-03-30T03:00" });
    expect(world.refusal("bookTimeslot", { ...input, start_time: "2031-03-30T03:00" })).toBe("SLOT_NOT_FREE");
    expect(brief(slots(world, ...DAYS.short))).toEqual(["01:00-02:00 60"]);
  });

  it.each([
    ["deactivateEvent", "SLOT_NOT_FREE"],
    ["cancelEvent", "done"],
    ["deleteEvent", "done"],
  ] as const)("a slot again after %s of its event is rejected with %s", (act, code) => {
    const world = worldForTests();
    const slot = { ...input, start_time: "2030-06-04T06:00" };
    const { id, event_id } = world.act("bookTimeslot", slot);
    world.act("cancelBooking", { booking_id: id });
    world.act(act, { event_id });
    expect(world.refusal("bookTimeslot", slot)).toBe(code);
  });

  it.each([
    [
      "too many seats",
      {},
      [item("var-adult", 5)],
      /^The timeslot at 2030-06-04T06:00 has 4 of its seats left, and you requested 5/,
    ],
    ["the cut-off", { booking_cutoff: "P5D" }, [item("var-adult")], /^The timeslot at 2030-06-04T06:00:00 could be/],
  ])("names the slot and no event in the error for %s", (_, change, items, sentence) => {
    const world = worldForTests();
    world.act("updateExperience", { experience_id: "exp-tour", tag_ids: [], ...change });
    const slot = { ...input, items, start_time: "2030-06-04T06:00" };
    expect(() => world.act("bookTimeslot", slot)).toThrow(sentence);
    expect(world.collections.events.size).toBe(3);
  });
});
