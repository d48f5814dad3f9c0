// GET /v1/events: which events a window holds, in which order, and what one event says.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { fromLocal } from "../../../src/engine/domain/kernel/instant.ts";
import { renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { allPages, done, idsOf, kroner, smallWorld, tour } from "./kit.ts";

const sandbox = shareSandbox();

const ZONES = {
  cph: "Europe/Copenhagen",
  nyc: "America/New_York",
  kir: "Pacific/Kiritimati",
  pago: "Pacific/Pago_Pago",
};

type Sitting = [place: string, start: string, end: string];

/** A world whose only events are these; each sitting at a place with a zone of its own. */
async function worldWith(events: Record<string, Sitting[]>): Promise<TestWorld> {
  const world = await sandbox.world({ fixture: "empty" });
  for (const [place, timezone] of Object.entries(ZONES)) await done(world, "addLocation", { id: place, timezone });
  const variant = { id: "var", name: "Adult", price: kroner(100), vat_rate: "0" };
  for (const id of ["exp", "exp-other"])
    await done(world, "createExperience", {
      id,
      name: id,
      location_ids: Object.keys(ZONES),
      ticket_variants: [variant],
    });
  for (const [id, sittings] of Object.entries(events)) {
    const sessions = sittings.map(([location_id, start_time, end_time]) => ({ location_id, start_time, end_time }));
    await done(world, "createEvent", {
      id,
      experience_id: id.endsWith("-other") ? "exp-other" : "exp",
      capacity: 5,
      sessions,
    });
  }
  return world;
}

const hour = (path: string, start: string): Sitting => [path, `${start}:00:00`, `${start}:59:59`];
const found = async (world: TestWorld, query: Record<string, string | number>) =>
  idsOf((await allPages(world, "listEvents", { query })).items).join(" ");

describe("a window of events", () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await worldWith({
      long: [hour("cph", "2030-07-01T10"), hour("cph", "2030-07-03T10"), hour("nyc", "2030-07-05T10")],
      early: [hour("cph", "2030-07-02T10")],
      late: [hour("cph", "2030-07-04T10")],
      york: [hour("nyc", "2030-07-02T10")],
      "far-other": [hour("kir", "2030-07-03T10")],
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ["without bounds holds each event once, by its first sitting", {}, "long early york far-other late"],
    [
      "holds an event for any of its sittings, and places it by the first inside",
      { from: "2030-07-02T00:00:00" },
      "early york far-other long late",
    ],
    ["holds it for its last sitting too", { from: "2030-07-04T12:00:00" }, "long"],
    ["does not hold it in a gap between its sittings", { from: "2030-07-01T12:00:00", to: "2030-07-02T00:00:00" }, ""],
    ["includes its beginning", { from: "2030-07-04T10:00:00", to: "2030-07-05T00:00:00" }, "late"],
    ["excludes its end", { from: "2030-07-03T12:00:00", to: "2030-07-04T10:00:00" }, ""],
    [
      "reads local times in the zone of each sitting",
      { from: "2030-07-02T10:00:00", to: "2030-07-02T10:00:01" },
      "early york",
    ],
    ["reads one instant for all with Z", { from: "2030-07-02T08:00:00Z", to: "2030-07-02T08:00:01Z" }, "early"],
    ["may begin local and end with Z", { from: "2030-07-02T10:00:00", to: "2030-07-02T14:00:00Z" }, "early"],
    [
      "holds a day that has begun only in the far east",
      { from: "2030-07-02T20:00:00Z", to: "2030-07-02T20:30:00Z" },
      "far-other",
    ],
    ["is empty when it is turned round", { from: "2030-07-09T00:00:00", to: "2030-07-01T00:00:00" }, ""],
    ["keeps to one experience", { experience_id: "exp-other" }, "far-other"],
    ["keeps to one experience and its bounds", { experience_id: "exp", from: "2030-07-04T12:00:00Z" }, "long"],
    ["of an experience that is not there is empty", { experience_id: "exp-nothing" }, ""],
    ["reads fractions of a second", { from: "2030-07-04T10:00:00.001" }, "long"],
    ["begins within a millisecond", { from: "2030-07-04T10:00:00.0005" }, "long"],
    ["begins within a millisecond of UTC", { from: "2030-07-04T08:00:00.000000001Z" }, "long"],
    ["ends within a millisecond", { from: "2030-07-03T12:00:00", to: "2030-07-04T10:00:00.0005" }, "late"],
    ["ends within a millisecond of UTC", { from: "2030-07-03T12:00:00", to: "2030-07-04T08:00:00.0005Z" }, "late"],
  ])("%s", async (_, query, ids) => {
    expect(await found(world, query)).toBe(ids);
    for (const limit of [1, 2, 500]) expect(await found(world, { ...query, limit })).toBe(ids);
  });

  it.each<[string, string]>([
    ["from", "2030-07-01"],
    ["from", "2030-07-01T10:00"],
    ["to", "2030-07-32T10:00:00"],
    ["to", "2030-02-30T10:00:00"],
    ["to", "2030-02-30T10:00:00Z"],
    ["from", "2030-07-01T25:00:00"],
    ["from", "soon"],
    ["to", "2030-07-01T10:00:00+99:00"],
    ["limit", "0"],
    ["limit", "501"],
    ["cursor", "x"],
  ])("is rejected where %s is %s", async (name, value) => {
    const { status, body } = await world.call("listEvents", { query: { [name]: value } });
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.message).toContain(`query.${name}`);
  });

  it("is paged, with up to five hundred events, and a hundred by default", async () => {
    const many = await smallWorld(sandbox);
    for (let i = 0; i < 120; i++) await tour(many, `evt-${i}`, "2030-06-05T10:00:00", "2030-06-05T11:00:00");
    const byDefault = await many.call("listEvents");
    expect([byDefault.body.items.length, typeof byDefault.body.next]).toEqual([100, "string"]);
    const all = await many.call("listEvents", { query: { limit: 500 } });
    expect([all.body.items.length, all.body.next ?? ""]).toEqual([121, ""]);
  });
});

describe("local times that the clocks skip or repeat", () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await worldWith({
      skipped: [["cph", "2031-03-30T02:30:00", "2031-03-30T05:00:00"]],
      before: [["cph", "2031-03-30T01:59:00", "2031-03-30T05:00:00"]],
      after: [["cph", "2031-03-30T03:15:00", "2031-03-30T05:00:00"]],
      repeated: [["cph", "2030-10-27T02:30:00", "2030-10-27T05:00:00"]],
    });
  });
  const only = (from: string, to: string) => found(world, { from, to });

  it("a skipped start moves forward by the gap", async () => {
    expect(await only("2031-03-30T01:30:00Z", "2031-03-30T01:30:01Z")).toBe("skipped");
    const { body } = await world.call("getEvent", { path: { eventId: "skipped" } });
    expect(body.sessions[0].start_time).toBe("2031-03-30T02:30:00");
  });

  it("a repeated start is the first of the two", async () => {
    expect(await only("2030-10-27T00:30:00Z", "2030-10-27T00:30:01Z")).toBe("repeated");
    expect(await only("2030-10-27T01:30:00Z", "2030-10-27T01:30:01Z")).toBe("");
  });

  it("a skipped bound moves forward too", async () => {
    expect(await only("2031-03-30T01:00:00", "2031-03-30T02:15:00")).toBe("before");
    expect(await only("2031-03-30T02:20:00", "2031-03-30T04:00:00")).toBe("skipped");
    expect(await only("2031-03-30T02:10:00", "2031-03-30T04:00:00")).toBe("after skipped");
  });

  it("a repeated bound is the first of the two", async () => {
    expect(await only("2030-10-27T02:30:00", "2030-10-27T02:31:00")).toBe("repeated");
  });

  it("a night of three hours with two on the wall clock is one event in harbour-tours", async () => {
    const harbour = await sandbox.world();
    expect(await found(harbour, { from: "2030-10-26T23:30:00Z", to: "2030-10-26T23:30:01Z" })).toBe("evt-dst");
  });
});

it("the list and its pages equal a simple implementation for all sittings and windows", async () => {
  const paths = fc.constantFrom(...(Object.keys(ZONES) as (keyof typeof ZONES)[]));
  const local = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 23 }))
    .map(([day, h]) => `2030-07-0${day}T${String(h).padStart(2, "0")}:00:00`);
  const sitting = fc.record({ place: paths, start: local });
  const bound = fc.option(fc.tuple(local, fc.constantFrom("", "Z", "+09:00", "-11:00")), { nil: undefined });
  const instant = (text: string, zone: string) =>
    /[Z+]|-\d\d:\d\d$/.test(text.slice(19)) ? new Date(text).toISOString() : fromLocal(text, zone);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(sitting, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(bound, bound), { minLength: 4, maxLength: 4 }),
      async (events, windows) => {
        const named = Object.fromEntries(
          events.map((sittings, index) => [
            `e${index}`,
            sittings.map(({ place, start }): Sitting => [place, start, start.replace(":00:00", ":30:00")]),
          ]),
        );
        const world = await worldWith(named);
        await world.control("put", "assumptions", { "event-window-format": "offset-accepted" });
        for (const [low, high] of windows) {
          const [from, to] = [low?.join(""), high?.join("")];
          const expected = events
            .map((sittings, index) => {
              const inside = sittings
                .map(({ place, start }) => ({ zone: ZONES[place], at: fromLocal(start, ZONES[place]) }))
                .filter(
                  ({ zone, at }) =>
                    (from === undefined || at >= instant(from, zone)) && (to === undefined || at < instant(to, zone)),
                );
              return { id: `e${index}`, at: inside.map(({ at }) => at).sort()[0] };
            })
            .filter(({ at }) => at !== undefined)
            .sort((a, b) => (`${a.at}${a.id}` < `${b.at}${b.id}` ? -1 : 1));
          const query = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
          for (const limit of [1, 2, 100]) {
            expect(await found(world, { ...query, limit })).toBe(idsOf(expected).join(" "));
            expect(await found(world, { ...query, limit, experience_id: "exp" })).toBe(idsOf(expected).join(" "));
          }
        }
      },
    ),
    { seed: 7, numRuns: 12 },
  );
});

describe("an event", () => {
  const world = renewWorld(() => sandbox.world());

  it("shows all its details", async () => {
    const { status, body } = await world.call("getEvent", { path: { eventId: "evt-evening" } });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: "evt-evening",
      state: "ACTIVE",
      visibility: "PUBLIC",
      experience_id: "exp-canal",
      capacity: { total: 40, reserved: expect.any(Number) },
      sessions: [
        {
          id: expect.any(String),
          start_time: "2030-06-01T19:00:00",
          end_time: "2030-06-01T20:30:00",
          timezone: "Europe/Copenhagen",
          location_id: "loc-nyhavn",
          languages: ["en", "da"],
        },
      ],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      metadata: { boat: "Havfruen" },
    });
  });

  it("at a location without a zone is in Copenhagen's", async () => {
    const { body } = await world.call("getEvent", { path: { eventId: "evt-kayak-noon" } });
    expect([body.sessions[0].location_id, body.sessions[0].timezone]).toEqual(["loc-harbour", "Europe/Copenhagen"]);
  });

  it.each(["evt-deleted", "evt-ice-swim", "evt-nothing", "bkg-evening", "__proto__"])(
    "%s gets 404, and is in no list",
    async (eventId) => {
      const { status, body } = await world.call("getEvent", { path: { eventId } });
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
      expect(idsOf((await allPages(world, "listEvents")).items)).not.toContain(eventId);
      expect((await world.call("getEventAvailability", { path: { eventId } })).status).toBe(404);
    },
  );

  it.each([
    ["evt-inactive", "INACTIVE"],
    ["evt-cancelled", "CANCELLED"],
    ["evt-completed", "COMPLETED"],
  ])("%s is %s, and listed", async (eventId, state) => {
    expect((await world.call("getEvent", { path: { eventId } })).body.state).toBe(state);
    expect(idsOf((await allPages(world, "listEvents")).items)).toContain(eventId);
  });

  it("with new times keeps its location and languages, even if the location has been deleted", async () => {
    const sessionsOf = async () => (await world.call("getEvent", { path: { eventId: "evt-multi" } })).body.sessions;
    const [first, ...others] = await sessionsOf();
    expect(new Set(others.map((session: { location_id: string }) => session.location_id))).toEqual(
      new Set(["loc-harbour"]),
    );
    await done(world, "updateEvent", { event_id: "evt-multi", sessions: [{ ...first, languages: ["de"] }, ...others] });
    await done(world, "removeLocation", { location_id: "loc-harbour" });
    const later = others.map(({ id, start_time, end_time }: Record<string, string>) => ({
      id,
      start_time: start_time?.replace(/:00$/, ":01"),
      end_time,
    }));
    const { id, start_time, end_time } = first;
    await done(world, "updateEvent", { event_id: "evt-multi", sessions: [{ id, start_time, end_time }, ...later] });
    expect(await sessionsOf()).toEqual([
      { ...first, languages: ["de"] },
      ...others.map((session: object, index: number) => ({ ...session, ...later[index] })),
    ]);
    const moved = { id, start_time, end_time, location_id: "loc-harbour" };
    const { status, body } = await world.act("updateEvent", { event_id: "evt-multi", sessions: [moved] });
    expect([status, body.code]).toEqual([409, "LOCATION_REMOVED"]);
  });

  it("can have up to fifty sittings", async () => {
    const small = await smallWorld(sandbox);
    const sessions = Array.from({ length: 51 }, (_, day) => ({
      start_time: `2030-0${7 + Math.floor(day / 28)}-${String((day % 28) + 1).padStart(2, "0")}T10:00:00`,
      end_time: `2030-0${7 + Math.floor(day / 28)}-${String((day % 28) + 1).padStart(2, "0")}T11:00:00`,
    }));
    const input = { experience_id: "exp-tour", capacity: 5, id: "evt-long" };
    expect((await small.act("createEvent", { ...input, sessions })).status).toBe(400);
    expect((await small.act("createEvent", { ...input, sessions: sessions.slice(1) })).status).toBe(200);
    expect((await small.call("getEvent", { path: { eventId: "evt-long" } })).body.sessions).toHaveLength(50);
  });
});
