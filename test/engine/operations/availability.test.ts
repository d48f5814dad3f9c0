// What can still be sold, as the two availability areas tell it; and that booking agrees with them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answered, renewWorld, shareSandbox, type TestWorld, worldOf } from "../../sandbox.ts";
import { violationsOf } from "../http/http-kit.ts";
import {
  ADULT,
  addOn,
  advance,
  allPages,
  book,
  done,
  guest,
  type Item,
  idsOf,
  kroner,
  smallWorld,
  ticket,
  tour,
} from "./kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

type Body = Answered["body"];
const eventAvailability = async (world: TestWorld, eventId: string): Promise<Body> =>
  (await world.call("getEventAvailability", { path: { eventId } })).body;
const experienceOf = (experienceId: string, body?: object) => ({ path: { experienceId }, ...(body ? { body } : {}) });
const offered = async (world: TestWorld, experienceId: string, body: object = {}): Promise<Body[]> =>
  (await allPages(world, "listAvailabilities", experienceOf(experienceId, body))).items;
const brief = (items: Body[]) =>
  items.map(({ subject, start_time }) => `${subject.event_id ?? "slot"} ${start_time.slice(5, 16)}`);

describe("the availability of an event", () => {
  const failing = ({ constraints }: Body) =>
    constraints.filter((each: Body) => !each.available).map((each: Body) => each.type);
  it.each<[string, boolean, string[]]>([
    ["evt-evening", true, []],
    ["evt-private", true, []],
    ["evt-last-seat", true, []],
    ["evt-multi", true, []],
    ["evt-sold-out", false, ["EVENT_SEATS_LIMIT"]],
    ["evt-past-cutoff", false, ["BOOKING_CUTOFF"]],
    ["evt-on-the-water", false, ["BOOKING_CUTOFF"]],
    ["evt-locked", false, ["EXCLUSIVITY"]],
    ["evt-inactive", false, ["EVENT_STATE"]],
    ["evt-cancelled", false, ["EVENT_STATE"]],
    ["evt-winter", false, ["EVENT_STATE"]],
    ["evt-completed", false, ["EVENT_STATE", "BOOKING_CUTOFF"]],
  ])("%s is %s for the reasons %j", async (event, available, reasons) => {
    const body = await eventAvailability(world, event);
    expect([body.event_id, body.available, failing(body)]).toEqual([event, available, reasons]);
  });

  it("lists every constraint that applies, with its figures", async () => {
    const body = await eventAvailability(world, "evt-kayak-noon");
    expect(body.constraints).toEqual([
      { type: "EVENT_STATE", available: true, state: "ACTIVE" },
      { type: "EVENT_SEATS_LIMIT", available: true, remaining: 3 },
      { type: "BOOKING_CUTOFF", available: true, cutoff_time: "2030-06-05T07:00:00.000Z" },
      { type: "RESOURCE_LIMIT", available: true, resource: "res-kayak", remaining: 1 },
      { type: "RESOURCE_LIMIT", available: true, resource: "res-double-kayak", remaining: 3 },
    ]);
  });

  it("shows exclusivity only while the event is locked", async () => {
    const exclusive = async () =>
      (await eventAvailability(world, "evt-locked")).constraints.filter((each: Body) => each.type === "EXCLUSIVITY");
    expect(await exclusive()).toEqual([{ type: "EXCLUSIVITY", available: false, locked_by_booking: true }]);
    await done(world, "unlockEvent", { event_id: "evt-locked" });
    expect(await exclusive()).toEqual([]);
  });

  it("is listed for one experience, in the order of its events, fifty at a time", async () => {
    const small = await smallWorld(sandbox);
    for (let i = 10; i < 70; i++)
      await tour(small, `evt-${i}`, `2030-06-05T10:${i - 10}:00`.replace(/:(\d):/, ":0$1:"), "2030-06-05T12:00:00");
    const list = (query: object) =>
      small.call("listEventAvailabilities", { query: { experienceId: "exp-tour", ...query } });
    const byDefault = await list({});
    expect([byDefault.status, byDefault.body.items.length, byDefault.body.items[0].event_id]).toEqual([
      200,
      50,
      "evt-noon",
    ]);
    const rest = await list({ cursor: byDefault.body.next });
    expect([rest.body.items.length, rest.body.items.at(-1).event_id]).toEqual([11, "evt-69"]);
    const window = await list({ from: "2030-06-05T10:30:00", to: "2030-06-05T08:32:00Z" });
    expect(window.body.items.map((each: Body) => each.event_id)).toEqual(["evt-40", "evt-41"]);
    for (const limit of [0, 101]) expect((await list({ limit })).status).toBe(400);
    expect((await list({ limit: 100 })).body.items).toHaveLength(61);
  });

  it("requires the experience", async () => {
    const nameless = await world.call("listEventAvailabilities", { query: { experience_id: "exp-canal" } });
    expect([nameless.status, nameless.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(nameless.body.message).toContain("query.experienceId");
    for (const experienceId of ["exp-nothing", "exp-ice-swim"])
      expect((await world.call("listEventAvailabilities", { query: { experienceId } })).status).toBe(404);
  });
});

describe("the availabilities of an experience", () => {
  it("are the sittings of its open public events, and its free slots, of the next thirty days", async () => {
    const items = await offered(world, "exp-kayak");
    expect(brief(items).filter((each) => each.startsWith("evt"))).toEqual([
      "evt-kayak-noon 06-05T11:00",
      "evt-kayak-04 06-07T17:00",
      "evt-timeslot 06-09T12:00",
      "evt-kayak-05 06-14T17:00",
      "evt-kayak-06 06-21T17:00",
      "evt-kayak-07 06-28T17:00",
    ]);
    expect(brief(items).slice(0, 6)).toEqual([
      "slot 06-01T12:00",
      "slot 06-01T14:00",
      "slot 06-01T16:00",
      "slot 06-02T10:00",
      "slot 06-02T12:00",
      "slot 06-02T14:00",
    ]);
    expect(brief(items)).not.toContain("slot 06-09T12:00");
    const starts = items.map(({ start_time }) => start_time);
    expect(starts).toEqual([...starts].sort());
  });

  it("need no body, and are paged", async () => {
    const plain = await world.call("listAvailabilities", experienceOf("exp-kayak"));
    expect(plain.status).toBe(200);
    const paged = await allPages(world, "listAvailabilities", experienceOf("exp-kayak", { limit: 3 }));
    expect(paged.items).toEqual(plain.body.items);
    expect(paged.pages).toBe(Math.ceil(plain.body.items.length / 3));
  });

  it("omit private, inactive and cancelled events", async () => {
    const ids = (await offered(world, "exp-canal", { to: "2030-12-31T00:00:00" })).map(
      ({ subject }) => subject.event_id,
    );
    for (const id of ["evt-private", "evt-cancelled", "evt-deleted", "evt-completed"]) expect(ids).not.toContain(id);
    for (const id of ["evt-sold-out", "evt-last-seat", "evt-dst"]) expect(ids).toContain(id);
  });

  it.each<[string, object, string[]]>([
    ["of a window", { from: "2030-06-12T00:00:00", to: "2030-06-17T18:00:00" }, ["evt-multi 06-12T18:00"]],
    [
      "of a window to its end, which is not included",
      { from: "2030-06-12T18:00:00", to: "2030-06-17T18:00:01" },
      ["evt-multi 06-12T18:00", "evt-multi 06-17T18:00"],
    ],
    ["of a window within a millisecond", { from: "2030-06-12T18:00:00.0005", to: "2030-06-17T18:00:00" }, []],
    ["in UTC", { from: "2030-06-17T16:00:00Z", to: "2030-06-17T16:00:01Z" }, ["evt-multi 06-17T18:00"]],
    [
      "of some events",
      { filter: { event_ids: ["evt-multi-running", "evt-nothing"] } },
      ["evt-multi-running 06-05T18:00"],
    ],
    ["of no event", { filter: { event_ids: [] } }, []],
    ["of a place", { filter: { location_ids: ["loc-nyhavn"] } }, ["evt-multi 06-10T18:00"]],
    ["of a length", { filter: { durations: ["PT3H30M"] } }, ["evt-multi 06-19T18:00"]],
    ["of a length that is written otherwise", { filter: { durations: ["PT210M"] } }, ["evt-multi 06-19T18:00"]],
    [
      "of one length or another",
      { filter: { durations: ["PT210M", "PT150M"], location_ids: ["loc-harbour"], event_ids: ["evt-multi"] } },
      ["evt-multi 06-12T18:00", "evt-multi 06-17T18:00", "evt-multi 06-19T18:00"],
    ],
    ["of a length that nothing has", { filter: { durations: ["PT7M"] } }, []],
    [
      "that are past, when they are asked for",
      { from: "2030-05-01T00:00:00", to: "2030-05-28T00:00:00" },
      ["evt-multi-running 05-27T18:00"],
    ],
    [
      "for thirty days from a local time",
      { from: "2030-05-18T18:00:00" },
      [
        "evt-multi-running 05-27T18:00",
        "evt-multi-running 05-29T18:00",
        "evt-multi-running 06-05T18:00",
        "evt-multi 06-10T18:00",
        "evt-multi 06-12T18:00",
      ],
    ],
    [
      "for thirty days and a second from a local time",
      { from: "2030-05-18T18:00:01" },
      [
        "evt-multi-running 05-27T18:00",
        "evt-multi-running 05-29T18:00",
        "evt-multi-running 06-05T18:00",
        "evt-multi 06-10T18:00",
        "evt-multi 06-12T18:00",
        "evt-multi 06-17T18:00",
      ],
    ],
    [
      "for thirty days from an instant",
      { from: "2030-05-18T16:00:00Z", filter: { event_ids: ["evt-multi"] } },
      ["evt-multi 06-10T18:00", "evt-multi 06-12T18:00"],
    ],
    [
      "from now to an end that is named",
      { to: "2030-06-10T18:00:01" },
      ["evt-multi-running 06-05T18:00", "evt-multi 06-10T18:00"],
    ],
  ])("of the course can be listed %s", async (_, body, expected) => {
    for (const limit of [1, 100])
      expect(brief(await offered(world, "exp-sailing", { ...body, limit }))).toEqual(expected);
  });

  it.each<[object, string]>([
    [{ limit: 0 }, "body.limit"],
    [{ limit: 101 }, "body.limit"],
    [{ limit: "3" }, "body.limit"],
    [{ from: "2030-06-01" }, "body.from"],
    [{ to: "tomorrow" }, "body.to"],
    [{ cursor: "x" }, "body.cursor"],
    [{ from: "9999-12-31T23:59:59" }, "body.from"],
    [{ from: "9999-12-02T00:00:00Z" }, "body.from"],
    [{ from: "+275760-09-13T00:00:00Z" }, "body.from"],
    [{ filter: [] }, "body.filter"],
    [{ filter: { event_ids: "evt-multi" } }, "body.filter.event_ids"],
    [{ filter: { durations: ["two hours"] } }, "body.filter.durations.0"],
  ])("are rejected for %j", async (body, index) => {
    const answer = await world.call("listAvailabilities", experienceOf("exp-sailing", body));
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.body.message).toContain(index);
    expect(violationsOf(answer).map(({ location }) => location.join("."))).toContain(index);
  });

  it("of the next eight thousand years are listed page by page, quickly", async () => {
    const millisUntil = async (to: string) => {
      const { user, system } = process.cpuUsage();
      const { status, body } = await world.call("listAvailabilities", experienceOf("exp-kayak", { to, limit: 5 }));
      expect([status, body.items.length]).toEqual([200, 5]);
      const used = process.cpuUsage({ user, system });
      return (used.user + used.system) / 1000;
    };
    const near = await millisUntil("2031-06-01T00:00:00");
    expect(await millisUntil("9999-12-31T00:00:00")).toBeLessThan(Math.max(200, 10 * near));
  });

  it.each(["exp-nothing", "exp-ice-swim"])("of %s are not found", async (experienceId) => {
    expect((await world.call("listAvailabilities", experienceOf(experienceId))).status).toBe(404);
  });

  it("of a locked event still report its seats, and that it is unavailable", async () => {
    const [locked] = await offered(world, "exp-dinner", { filter: { event_ids: ["evt-locked"] } });
    const limits = locked.constraints.find((each: Body) => each.type === "TICKET_LIMIT");
    const exclusivity = locked.constraints.find((each: Body) => each.type === "EXCLUSIVITY");
    expect(locked.available).toBe(false);
    expect(limits.ticket_variants).toEqual([{ id: "var-dinner", available: true, remaining: exclusivity.remaining }]);
    expect(limits.addon_variants).toEqual([{ id: "add-wine", available: true }]);
    expect(exclusivity.remaining).toBeGreaterThan(0);
  });

  it("report each ticket variant and add-on with its limit", async () => {
    const [one] = await offered(world, "exp-canal", { filter: { event_ids: ["evt-last-seat"] } });
    expect(one.constraints).toEqual([
      {
        type: "TICKET_LIMIT",
        ticket_variants: [
          { id: "var-adult", available: true, remaining: 1 },
          { id: "var-child", available: true, remaining: 1 },
          { id: "var-family", available: false, remaining: 0 },
        ],
        addon_variants: [
          { id: "add-blanket", available: true, remaining: 10 },
          { id: "add-audio-guide", available: true },
          { id: "add-museum", available: true },
        ],
      },
    ]);
  });
});

describe("one availability", () => {
  const single = (world: TestWorld, experienceId: string, availabilityId: string) =>
    world.call("getAvailability", { path: { experienceId, availabilityId } });

  it.each(["exp-kayak", "exp-sailing", "exp-canal"])("of %s equals its listing", async (experience) => {
    const items = await offered(world, experience);
    expect(new Set(idsOf(items)).size).toBe(items.length);
    for (const item of items.slice(0, 12)) expect((await single(world, experience, item.id)).body).toEqual(item);
  });

  it("is not found by another name, or under another experience", async () => {
    const [item] = await offered(world, "exp-kayak");
    for (const id of [
      "x",
      "evt-evening",
      `${item.id}A`,
      item.id.slice(0, -2),
      Buffer.from("slot\nexp-kayak\nloc-harbour\n2030-06-01T12:30:00").toString("base64url"),
      Buffer.from("slot\n\n\nx").toString("base64url"),
    ]) {
      const { status, body } = await single(world, "exp-kayak", id);
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect((await single(world, "exp-bike", item.id)).status).toBe(404);
  });

  it("of a sitting is not found under another experience, nor when its event is deleted", async () => {
    const [item] = await offered(world, "exp-canal", { filter: { event_ids: ["evt-canal-20"] } });
    expect((await single(world, "exp-canal", item.id)).status).toBe(200);
    expect((await single(world, "exp-bike", item.id)).status).toBe(404);
    await done(world, "deleteEvent", { event_id: "evt-canal-20" });
    expect((await single(world, "exp-canal", item.id)).status).toBe(404);
  });

  it("of a slot has only the type TIMESLOT until a booking", async () => {
    const [late, slot] = (await offered(world, "exp-kayak")).filter(({ subject }) => subject.type === "TIMESLOT");
    expect([late.subject, late.available, late.start_time]).toEqual([
      { type: "TIMESLOT" },
      false,
      "2030-06-01T12:00:00",
    ]);
    expect([slot.subject, slot.available, slot.start_time]).toEqual([
      { type: "TIMESLOT" },
      true,
      "2030-06-01T14:00:00",
    ]);
    const booked = await done(world, "bookTimeslot", {
      experience_id: "exp-kayak",
      start_time: slot.start_time,
      customer: guest,
      items: [ticket("var-kayak", 2)],
      skip_answers: true,
    });
    expect(
      (
        await world.act("bookTimeslot", {
          experience_id: "exp-kayak",
          start_time: late.start_time,
          customer: guest,
          items: [ticket("var-kayak")],
        })
      ).body.code,
    ).toBe("EVENT_PAST_CUTOFF");
    expect((await single(world, "exp-kayak", slot.id)).status).toBe(404);
    const [sitting] = await offered(world, "exp-kayak", { filter: { event_ids: [booked.event_id] } });
    expect(sitting.subject).toEqual({ type: "EVENT", event_id: booked.event_id, session_id: expect.any(String) });
    expect(sitting.constraints[0].ticket_variants[0]).toEqual({ id: "var-kayak", available: true, remaining: 6 });
  });

  it("of a slot that two opening rules offer is listed once, and booked by the first", async () => {
    const rule = { weekdays: [1, 2], from: "10:00", to: "11:00", duration: "PT1H", capacity: 8 };
    await done(world, "createExperience", {
      id: "exp-twice",
      name: "Twice",
      ticket_variants: [{ id: "var-one", name: "One", price: kroner(100), vat_rate: "0.25" }],
      opening_rules: [{ ...rule, weekdays: [1], capacity: 3 }, rule],
    });
    const window = { from: "2030-07-01T00:00:00", to: "2030-07-04T00:00:00" };
    const left = ({ constraints }: Body) => constraints[0].ticket_variants[0].remaining;
    for (const limit of [1, 10])
      expect((await offered(world, "exp-twice", { ...window, limit })).map(left)).toEqual([3, 8]);
    const [first] = await offered(world, "exp-twice", window);
    const path = { experienceId: "exp-twice", availabilityId: first.id };
    expect(left((await world.call("getAvailability", { path })).body)).toBe(3);
  });

  it("changes with the clock at the cut-off", async () => {
    const small = await smallWorld(sandbox);
    const [item] = await offered(small, "exp-tour");
    expect(item.available).toBe(true);
    await small.control("put", "clock", { now: "2030-06-02T10:00:00Z" });
    expect((await single(small, "exp-tour", item.id)).body.available).toBe(false);
    await advance(small, "P1D");
    expect((await single(small, "exp-tour", item.id)).body.available).toBe(false);
  });
});

describe("booking agrees", () => {
  const fork = async (world: TestWorld): Promise<TestWorld> => {
    const { body } = await world.control("post", `worlds/${world.id}/fork`, {});
    return worldOf(sandbox.url, body.items[0].id, body.items[0].client_id, body.items[0].client_secret);
  };
  const succeeds = async (world: TestWorld, event: string, items: Item[]) => {
    const copy = await fork(world);
    const { status } = await book(copy, event, items);
    await copy.control("delete", `worlds/${copy.id}`);
    expect([201, 409]).toContain(status);
    return status === 201;
  };

  /** Every event of harbour-tours that availabilities name, with every variant of its experience. */
  async function mustAgree(world: TestWorld, experiences: readonly string[]): Promise<void> {
    for (const experience of experiences) {
      const items = await offered(world, experience, { from: "2030-05-30T00:00:00", to: "2030-06-16T00:00:00" });
      for (const { subject, available, constraints } of items.filter((each) => each.subject.type === "EVENT")) {
        const { ticket_variants } = constraints.find((each: Body) => each.type === "TICKET_LIMIT");
        const whole = await eventAvailability(world, subject.event_id);
        for (const { id, available: some, remaining } of ticket_variants) {
          const named = `${id} on ${subject.event_id}`;
          expect(await succeeds(world, subject.event_id, [ticket(id)]), named).toBe(available && some);
          expect(remaining > 0, named).toBe(some);
          if (!available || !some) continue;
          expect(await succeeds(world, subject.event_id, [ticket(id, remaining)]), named).toBe(true);
          expect(await succeeds(world, subject.event_id, [ticket(id, remaining + 1)]), named).toBe(false);
        }
        if (available && experience !== "exp-kayak") expect(whole.available, subject.event_id).toBe(true);
        if (!whole.available && experience !== "exp-kayak") expect(available, subject.event_id).toBe(false);
      }
    }
  }

  it("with the availability of every event of harbour-tours", async () => {
    await mustAgree(world, [
      "exp-canal",
      "exp-kayak",
      "exp-bike",
      "exp-paddle-pedal",
      "exp-sailing",
      "exp-dinner",
      "exp-tea",
      "exp-charter",
      "exp-hudson",
    ]);
  });

  it("after random bookings that share kayaks and bikes", async () => {
    const events = {
      "evt-kayak-noon": ["var-kayak", "var-kayak-double"],
      "evt-bike-noon": ["var-rider", "var-own-bike"],
      "evt-paddle-noon": ["var-duo-sport"],
    };
    const input = fc
      .constantFrom(...Object.keys(events))
      .chain((event) =>
        fc.tuple(
          fc.constant(event),
          fc.constantFrom(...events[event as keyof typeof events]),
          fc.integer({ min: 1, max: 4 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 5 }), async (inputs) => {
        const world = await sandbox.world();
        await world.control("put", "clock", { now: "2030-06-04T09:00:00Z" });
        for (const [event, variant, quantity] of inputs) await book(world, event, [ticket(variant, quantity)]);
        for (const [event, variants] of Object.entries(events)) {
          const experience = (await world.call("getEvent", { path: { eventId: event } })).body.experience_id;
          const [item] = await offered(world, experience, { filter: { event_ids: [event] } });
          for (const variant of variants) {
            const { remaining } = item.constraints[0].ticket_variants.find((each: Body) => each.id === variant);
            if (remaining > 0) expect(await succeeds(world, event, [ticket(variant, remaining)])).toBe(true);
            expect(await succeeds(world, event, [ticket(variant, remaining + 1)])).toBe(false);
          }
        }
      }),
      { seed: 7, numRuns: 6 },
    );
  });

  it("with the availability of add-ons", async () => {
    for (const [experience, event, variant] of [
      ["exp-canal", "evt-evening", "var-adult"],
      ["exp-kayak", "evt-kayak-noon", "var-kayak"],
      ["exp-bike", "evt-bike-noon", "var-rider"],
      ["exp-tea", "evt-tea", "var-tea"],
    ] as const) {
      const [item] = await offered(world, experience, { filter: { event_ids: [event] } });
      for (const { id, remaining } of item.constraints[0].addon_variants) {
        expect(await succeeds(world, event, [ticket(variant), addOn(id, remaining ?? 500)]), id).toBe(true);
        if (remaining !== undefined)
          expect(await succeeds(world, event, [ticket(variant), addOn(id, remaining + 1)]), id).toBe(false);
      }
    }
  });

  it("with the one booking that locks an event, which can still grow", async () => {
    const small = await smallWorld(sandbox, 3);
    const { id } = await done(small, "bookAsHost", { event_id: "evt-noon", customer: guest, items: [ADULT] });
    await done(small, "lockEvent", { event_id: "evt-noon", booking_id: id });
    expect((await book(small, "evt-noon")).body.code).toBe("EVENT_EXCLUSIVITY_LOCKED");
    await done(small, "updateBooking", { booking_id: id, items: [ticket("var-adult", 3)] });
    const [item] = await offered(small, "exp-tour");
    expect([item.available, item.constraints[1]]).toEqual([false, { type: "EXCLUSIVITY", remaining: 0 }]);
    expect((await small.act("updateBooking", { booking_id: id, items: [ticket("var-adult", 4)] })).body.code).toBe(
      "NOT_ENOUGH_RESOURCES",
    );
  });
});

it("offers and books no slot that would begin in the hour that the clocks skip", async () => {
  const small = await smallWorld(sandbox);
  const rule = { weekdays: [7], from: "01:00", to: "04:00", duration: "PT90M", capacity: 4 };
  await done(small, "updateExperience", { experience_id: "exp-tour", opening_rules: [rule] });
  const slots = await offered(small, "exp-tour", { from: "2031-03-30T00:00:00", to: "2031-03-31T00:00:00" });
  expect(slots.map(({ start_time }) => start_time)).toEqual(["2031-03-30T01:00:00"]);
  const input = { experience_id: "exp-tour", customer: guest, items: [ticket("var-adult")] };
  const { status, body } = await small.act("bookTimeslot", { ...input, start_time: "2031-03-30T02:30:00" });
  expect([status, body.code]).toEqual([409, "SLOT_SKIPPED"]);
});
