// A millisecond before, at, and a millisecond after each instant that ends the sale: what both availabilities say is what booking
// does. Assumptions: event-availability-shape, booking-check-order, timeslots.
import { describe, expect, it } from "vitest";
import { toMillis } from "../../../src/engine/domain/kernel/instant.ts";
import { type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { book, done, guest, kroner, ticket } from "./kit.ts";

const sandbox = shareSandbox();

const path = { experienceId: "exp-tour" };
const offers = async (world: TestWorld, body?: object): Promise<Answered["body"][]> =>
  (await world.call("listAvailabilities", { path, ...(body ? { body } : {}) })).body.items;
const at = (instant: string, offset: number) => new Date(toMillis(instant) + offset).toISOString();
const sittings = { filter: { event_ids: ["evt-tour"] } };

/** A tour with hours of its own; times are UTC. */
async function opening(clock: string): Promise<TestWorld> {
  const world = await sandbox.world({ fixture: "empty", clock });
  await done(world, "addLocation", { id: "loc-pier", timezone: "UTC" });
  await done(world, "createExperience", {
    id: "exp-tour",
    name: "Tour",
    ticket_variants: [{ id: "var-adult", name: "Adult", price: kroner(25000), vat_rate: "0.25" }],
    opening_rules: [{ weekdays: [1, 2, 3, 4, 5, 6, 7], from: "08:00", to: "10:00", duration: "PT1H", capacity: 4 }],
  });
  return world;
}

/** The tour, and an event of it. */
async function touring(clock: string, cutoff: string | null): Promise<TestWorld> {
  const world = await opening(clock);
  const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" }];
  await done(world, "createEvent", {
    id: "evt-tour",
    experience_id: "exp-tour",
    sessions,
    capacity: 5,
    booking_cutoff: cutoff,
  });
  return world;
}

const EVENT_ENDS = [
  ["its cut-off", "2030-06-02T10:00:00.000Z", "PT2H"],
  ["its start, where it has no cut-off", "2030-06-02T12:00:00.000Z", null],
] as const;

describe("An event is available until, and not at,", () => {
  const rows = EVENT_ENDS.flatMap(([name, end, cutoff]) =>
    [-1, 0, 1].map((offset) => [name, offset, end, cutoff] as const),
  );
  it.each(rows)("%s (%i ms)", async (_, offset, end, cutoff) => {
    const world = await touring(at(end, -60_000), cutoff);
    const [sitting] = await offers(world, sittings);
    await done(world, "createEvent", {
      experience_id: "exp-tour",
      sessions: [{ start_time: "2031-06-02T12:00:00", end_time: "2031-06-02T14:00:00" }],
      capacity: 5,
    });
    await world.control("put", "clock", { now: at(end, offset) });
    const single = await world.call("getAvailability", { path: { ...path, availabilityId: sitting.id } });
    const event = await world.call("getEventAvailability", { path: { eventId: "evt-tour" } });
    const listed = (await world.call("listEventAvailabilities", { query: path })).body.items;
    const booked = await book(world, "evt-tour");
    const open = offset < 0;
    expect({
      single: single.body.available,
      event: event.body.available,
      listed: listed.find((each: Answered["body"]) => each.event_id === "evt-tour").available,
      cutoff: event.body.constraints.find((each: Answered["body"]) => each.type === "BOOKING_CUTOFF").available,
      booked: booked.status === 201,
    }).toEqual({ single: open, event: open, listed: open, cutoff: open, booked: open });
    if (!open) expect(booked.body.code).toBe("EVENT_PAST_CUTOFF");
  });
});

describe("A listing until its start contains", () => {
  it.each([-1, 0, 1])("a sitting at %i ms from its start", async (offset) => {
    const world = await touring("2030-06-02T07:00:00.000Z", null);
    await world.control("put", "clock", { now: at("2030-06-02T12:00:00.000Z", offset) });
    expect((await offers(world, sittings)).length).toBe(offset <= 0 ? 1 : 0);
    expect((await offers(world, sittings)).every(({ available }) => available === offset < 0)).toBe(true);
  });

  it.each([-1, 0, 1])("a slot at %i ms from its start", async (offset) => {
    const world = await touring("2030-06-02T07:00:00.000Z", null);
    const first = (await offers(world)).find(({ subject }) => subject.type === "TIMESLOT");
    expect(first.start_time).toBe("2030-06-02T08:00:00");
    await world.control("put", "clock", { now: at("2030-06-02T08:00:00.000Z", offset) });
    const listed = (await offers(world)).some(({ id }) => id === first.id);
    const single = await world.call("getAvailability", { path: { ...path, availabilityId: first.id } });
    const input = { experience_id: "exp-tour", start_time: first.start_time, customer: guest };
    const booked = await world.act("bookTimeslot", { ...input, items: [ticket("var-adult")] });
    const open = offset < 0;
    expect([listed, single.body.available, booked.status === 200]).toEqual([open, open, open]);
    expect(booked.body.code).toBe(open ? undefined : "SLOT_NOT_FREE");
  });
});

it.each([-1, 0, 1])("A sitting is listed less than thirty days before its start (%i ms)", async (offset) => {
  const world = await touring(at("2030-05-03T12:00:00.000Z", offset), null);
  expect((await offers(world, sittings)).length).toBe(offset > 0 ? 1 : 0);
  const sessions = ["09", "12"].map((hour) => ({
    start_time: `2030-06-02T${hour}:00:00`,
    end_time: `2030-06-02T${hour}:30:00`,
  }));
  await done(world, "updateEvent", { event_id: "evt-tour", sessions });
  expect((await offers(world, sittings)).length).toBe(offset > 0 ? 2 : 1);
});

it.each([-1, 0, 1])("An event can be created until %i ms from the end of its last session", async (offset) => {
  const world = await touring(at("2030-06-02T08:00:00.000Z", offset), null);
  const sessions = [{ start_time: "2030-06-02T07:00:00", end_time: "2030-06-02T08:00:00" }];
  const made = await world.act("createEvent", { experience_id: "exp-tour", sessions, capacity: 5 });
  expect([made.status, made.body.code]).toEqual(offset < 0 ? [200, undefined] : [409, "EVENT_HAS_ENDED"]);
  if (offset >= 0) expect(made.body.message).toMatch(/^The event would have ended at 2030-06-02T08:00:00.000Z; it is /);
});

describe("Simultaneous availabilities", () => {
  const page = async (world: TestWorld, limit: number): Promise<Answered["body"][]> => {
    const found: Answered["body"][] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await world.call("listAvailabilities", { path, body: { limit, ...(cursor ? { cursor } : {}) } });
      found.push(...body.items);
      cursor = body.next;
      if (!cursor) return found;
    }
  };

  it("are each listed once by pages of any length: events with the same session ids, and slots of two rules", async () => {
    const world = await touring("2030-06-01T10:00:00Z", null);
    const rule = { weekdays: [7], from: "08:00", to: "10:00", capacity: 4 };
    const opening_rules = [
      { ...rule, duration: "PT1H" },
      { ...rule, duration: "PT2H" },
    ];
    await done(world, "updateExperience", { experience_id: "exp-tour", opening_rules });
    const sessions = [{ id: "s1", start_time: "2030-06-03T12:00:00", end_time: "2030-06-03T14:00:00" }];
    for (const id of ["evt-a", "evt-b"])
      await done(world, "createEvent", { id, experience_id: "exp-tour", sessions, capacity: 1 });
    const all = await page(world, 100);
    const name = ({ subject, start_time, end_time }: Answered["body"]) =>
      `${start_time.slice(5, 16)} ${end_time.slice(11, 16)} ${subject.event_id ?? ""}`;
    expect(all.map(name).slice(0, 6)).toEqual([
      "06-02T08:00 09:00 ",
      "06-02T08:00 10:00 ",
      "06-02T09:00 10:00 ",
      "06-02T12:00 14:00 evt-tour",
      "06-03T12:00 14:00 evt-a",
      "06-03T12:00 14:00 evt-b",
    ]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(await page(world, 1)).toEqual(all);
    for (const each of all.slice(0, 3))
      expect((await world.call("getAvailability", { path: { ...path, availabilityId: each.id } })).body).toEqual(each);
  });
});

describe("At the end of time", () => {
  it("slots are offered up to the last day, and no further", async () => {
    const world = await opening("9999-12-30T09:30:00Z");
    expect((await offers(world)).map(({ start_time }) => start_time)).toEqual([
      "9999-12-31T08:00:00",
      "9999-12-31T09:00:00",
    ]);
  });

  it("an event in the last year can be booked until it starts", async () => {
    const world = await touring("2030-06-01T10:00:00Z", null);
    const sessions = [{ start_time: "9999-06-01T10:00:00", end_time: "9999-06-01T11:00:00" }];
    await done(world, "createEvent", { id: "evt-late", experience_id: "exp-tour", sessions, capacity: 1 });
    const { body } = await world.call("getEventAvailability", { path: { eventId: "evt-late" } });
    const cutoff = body.constraints.find((each: Answered["body"]) => each.type === "BOOKING_CUTOFF");
    expect(cutoff.cutoff_time).toBe("9999-06-01T10:00:00.000Z");
  });
});
