// What a sale takes of shared resources: fixed when it is made, whatever the catalogue says later. Assumption: resources-sold.
import { describe, expect, it } from "vitest";
import { countFreeResource } from "../../../src/engine/domain/event/capacity.ts";
import { book, item, type TestWorld, TOUR, worldForTests } from "../../world-for-tests.ts";

const [adult, boat] = TOUR.ticket_variants as [(typeof TOUR.ticket_variants)[0], (typeof TOUR.ticket_variants)[0]];
const boats = (quantity = 1) => [item("var-boat", quantity)];
const left = (world: TestWorld, event = "evt-noon") =>
  world.change((tx) => countFreeResource(tx, world.event(event).sessions, "res-kayak"));
const offer = (world: TestWorld, ...ticket_variants: object[]) =>
  world.act("updateExperience", { experience_id: "exp-tour", ticket_variants });
const needing = (quantity: number, id = "var-boat") => ({
  ...boat,
  id,
  seats: 1,
  limit: 9,
  resources: [{ resource_id: "res-kayak", quantity }],
});

describe("Sales are limited to the two free kayaks of six", () => {
  it.each<[string, (world: TestWorld) => void]>([
    ["when its variant needs more", (world) => offer(world, adult, needing(3))],
    ["when its variant needs less", (world) => offer(world, adult, needing(1))],
    ["when its variant needs none", (world) => offer(world, adult, { ...boat, resources: [] })],
    ["when its variant is gone", (world) => offer(world, adult)],
    ["when another variant stands in its place", (world) => offer(world, adult, needing(1, "var-new"))],
  ])("%s", (_, change) => {
    const world = worldForTests();
    const { id } = book(world, { items: boats() });
    expect(left(world)).toBe(4);
    change(world);
    expect([left(world), left(world, "evt-beside"), left(world, "evt-late")]).toEqual([4, 4, 6]);
    world.act("cancelBooking", { booking_id: id });
    expect(left(world)).toBe(6);
  });
});

it("A resource that only sold tickets use is not sold twice", () => {
  const world = worldForTests();
  for (const _ of [1, 2]) book(world, { items: boats() });
  offer(world, adult, needing(1, "var-new"));
  expect(() => book(world, { event_id: "evt-beside", items: [item("var-new", 3)] })).toThrow(/has 2 of the shared/);
  book(world, { event_id: "evt-beside", items: [item("var-new", 2)] });
  expect(left(world)).toBe(0);
});

it("An event that starts to need a resource counts beside the others that need it", () => {
  const world = worldForTests();
  offer(world, adult);
  for (const id of ["evt-a", "evt-b"])
    world.act("createEvent", {
      id,
      experience_id: "exp-tour",
      capacity: 5,
      sessions: [{ start_time: "2030-07-01T10:00:00", end_time: "2030-07-01T12:00:00" }],
    });
  const one = (event_id: string) => book(world, { event_id, items: [item("var-adult")] });
  const { id } = one("evt-a");
  offer(world, { ...adult, resources: [{ resource_id: "res-kayak", quantity: 4 }] });
  expect(left(world, "evt-a")).toBe(6);
  world.act("cancelBooking", { booking_id: id });
  one("evt-a");
  expect(() => one("evt-b")).toThrow("has 2 of the shared resource res-kayak left");
});

it("A booking that grows uses the current needs of the variant, and frees both when it ends", () => {
  const world = worldForTests();
  const { id } = book(world, { items: boats() });
  offer(world, adult, needing(1));
  world.act("updateBooking", { booking_id: id, items: boats(2) });
  expect(left(world)).toBe(3);
  const [first] = world.tickets(id);
  world.act("voidTicket", { ticket_id: first?.id });
  expect(left(world)).toBe(5);
  world.act("cancelBooking", { booking_id: id });
  expect(left(world)).toBe(6);
});

describe("Records of a version without stored resources", () => {
  function older(): TestWorld & { id: string } {
    const world = worldForTests();
    const { id } = book(world, { items: boats() });
    world.change((tx) => {
      const { resources_used: _, ...event } = world.event("evt-noon");
      tx.events.put(event);
      for (const { resources_used: _, ...ticket } of world.tickets(id)) tx.tickets.put(ticket);
    });
    return Object.assign(world, { id });
  }

  it("use the current needs of their variants", () => {
    const world = older();
    expect(left(world)).toBe(4);
    expect(() => book(world, { event_id: "evt-beside", items: [...boats(2), ...boats(1)] })).toThrow();
    world.act("cancelBooking", { booking_id: world.id });
    expect(left(world)).toBe(6);
  });

  it("use the needs of their variants at the first change of the catalogue", () => {
    const world = older();
    offer(world, adult, needing(3));
    expect(left(world)).toBe(4);
    world.act("cancelBooking", { booking_id: world.id });
    expect(left(world)).toBe(6);
  });
});

describe("Sessions", () => {
  const session = (from: string, to: string) => ({
    start_time: `2030-07-01T${from}:00`,
    end_time: `2030-07-01T${to}:00`,
  });
  const planned = (world: TestWorld, id: string, ...times: [string, string][]) =>
    world.act("createEvent", {
      id,
      experience_id: "exp-tour",
      capacity: 20,
      sessions: times.map(([from, to]) => session(from, to)),
    });

  it("that touch do not overlap", () => {
    const world = worldForTests();
    planned(world, "evt-all", ["10:00", "14:00"]);
    planned(world, "evt-first", ["10:00", "12:00"]);
    planned(world, "evt-second", ["12:00", "14:00"]);
    const all = () => ["evt-all", "evt-first", "evt-second"].map((id) => left(world, id));
    book(world, { event_id: "evt-second", items: boats(2) });
    expect(all()).toEqual([2, 6, 2]);
    book(world, { event_id: "evt-first", items: boats(2) });
    expect(all()).toEqual([2, 2, 2]);
  });

  it.each<[string, [string, string][], string | undefined]>([
    [
      "apart",
      [
        ["10:00", "12:00"],
        ["13:00", "14:00"],
      ],
      undefined,
    ],
    [
      "one after the other",
      [
        ["12:00", "14:00"],
        ["10:00", "12:00"],
      ],
      undefined,
    ],
    [
      "overlapping",
      [
        ["10:00", "14:00"],
        ["11:00", "13:00"],
      ],
      "body.sessions.1.start_time",
    ],
    [
      "overlapping by a minute, told in another order",
      [
        ["11:59", "14:00"],
        ["10:00", "12:00"],
      ],
      "body.sessions.0.start_time",
    ],
    [
      "twice the same",
      [
        ["10:00", "12:00"],
        ["10:00", "12:00"],
      ],
      "body.sessions.1.start_time",
    ],
    [
      "apart from the next, within the first",
      [
        ["10:00", "18:00"],
        ["11:00", "12:00"],
        ["13:00", "14:00"],
      ],
      "body.sessions.2.start_time",
    ],
  ])("of one event %s", (_, times, index) => {
    const world = worldForTests();
    const attempt = () => planned(world, "evt-two", ...times);
    if (index === undefined) expect(attempt().sessions).toHaveLength(times.length);
    else expect(attempt).toThrow(index);
    const change = () =>
      world.act("updateEvent", { event_id: "evt-late", sessions: times.map(([from, to]) => session(from, to)) });
    if (index === undefined) expect(change().sessions).toHaveLength(times.length);
    else expect(change).toThrow(index);
  });

  it("of one event that overlap under another assumption use its kayaks once, however the basket is divided", () => {
    for (const baskets of [[3], [1, 1, 1], [2, 1]]) {
      const world = worldForTests({ "event-sessions": "overlap-allowed" });
      offer(world, adult, needing(2));
      planned(world, "evt-two", ["10:00", "14:00"], ["11:00", "13:00"]);
      for (const quantity of baskets) book(world, { event_id: "evt-two", items: boats(quantity) });
      expect(left(world, "evt-two")).toBe(0);
      expect(() => book(world, { event_id: "evt-two", items: boats() })).toThrow("has 0 of the shared resource");
    }
  });

  it("in the hour that the clocks skip use the meaning of its beginning", () => {
    const sessions = [{ start_time: "2031-03-30T02:45:00", end_time: "2031-03-30T03:15:00" }];
    const input = { experience_id: "exp-tour", capacity: 1, sessions };
    expect(() => worldForTests().act("createEvent", input)).toThrow(
      "2031-03-30T03:15:00 is not after 2031-03-30T02:45:00: the clocks of Europe/Copenhagen skip 2031-03-30T02:45:00 that night, so it means 2031-03-30T03:45:00.",
    );
  });
});
