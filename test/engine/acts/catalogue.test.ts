// Acts on experiences, events, locations, consents and keys. Assumptions: event-transitions, experience-list, local-time, scopes.
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { book, item, type TestWorld, TOUR, worldForTests } from "../../world-for-tests.ts";

const price = { currency: "DKK", value: 100, exponent: 2 };
const variant = { name: "Adult", price, vat_rate: "0.25" };
const session = { start_time: "2030-06-08T10:00", end_time: "2030-06-08T12:00" };

describe("Experiences", () => {
  it("need only a name and a variant, and are created at the first location", () => {
    const world = worldForTests();
    const made = world.act("createExperience", { name: "Kayak", description: "Wet.", ticket_variants: [variant] });
    expect(made).toMatchObject({ name: "Kayak", description: "Wet.", state: "ACTIVE" });
    expect(world.collections.experiences.get(made.id)).toMatchObject({
      location_ids: ["loc-pier"],
      name: { da: "Kayak" },
    });
  });

  it.each([
    [{ id: "exp-tour" }, "ID_TAKEN"],
    [{ location_ids: ["loc-ghost"] }, "INVALID_INPUT"],
    [{ booking_cutoff: "2030-06-01T00:00:00Z" }, "INVALID_INPUT"],
    [{ ticket_variants: [{ ...variant, price: { ...price, exponent: 3 } }] }, "INVALID_INPUT"],
    [{ ticket_variants: [{ ...variant, resources: [{ resource_id: "res-ghost", quantity: 1 }] }] }, "INVALID_INPUT"],
    [
      {
        opening_rules: [{ weekdays: [1], from: "09:00", to: "10:00", duration: "PT1H", capacity: 1, timezone: "UTC" }],
      },
      "INVALID_INPUT",
    ],
  ])("with %j are rejected with %s", (input, code) => {
    const byDefault = { name: "X", ticket_variants: [variant] };
    expect(worldForTests().refusal("createExperience", { ...byDefault, ...input })).toBe(code);
  });

  it("without a location need one for each session and opening rule", () => {
    const world = worldForTests();
    const input = { id: "exp-nowhere", name: "X", ticket_variants: [variant], location_ids: [] };
    const rule = { weekdays: [1], from: "09:00", to: "10:00", duration: "PT1H", capacity: 1 };
    const advice = "location_id: the experience takes place at no location. Name one here";
    const opening_rules = [rule];
    expect(() => world.act("createExperience", { ...input, opening_rules })).toThrow(`body.opening_rules.0.${advice}`);
    world.act("createExperience", { ...input, opening_rules: [{ ...rule, location_id: "loc-pier" }] });
    const event = (sessions: object[]) => ({ experience_id: "exp-nowhere", capacity: 1, sessions });
    expect(() => world.act("createEvent", event([session]))).toThrow(`body.sessions.0.${advice}`);
    world.act("createEvent", event([{ ...session, location_id: "loc-pier" }]));
  });

  it("keep fields that a change omits, and lose a cut-off that is set to null", () => {
    const world = worldForTests();
    world.act("updateExperience", { experience_id: "exp-tour", booking_cutoff: "PT2H" });
    const record = () => world.collections.experiences.get("exp-tour");
    expect(record()).toMatchObject({ booking_cutoff: "PT2H", name: TOUR.name, booking_fee: TOUR.booking_fee });
    world.act("updateExperience", { experience_id: "exp-tour", booking_cutoff: null, description: "New" });
    expect(record()).not.toHaveProperty("booking_cutoff");
  });
});

describe("Events", () => {
  const make = (world: TestWorld, more: object = {}) =>
    world.act("createEvent", { experience_id: "exp-tour", sessions: [session], capacity: 5, ...more });

  it("can get a session before the existing ones, with an id of its own", () => {
    const world = worldForTests();
    const later = { start_time: "2030-06-09T10:00", end_time: "2030-06-09T11:00" };
    const { id, sessions } = make(world, { sessions: [session, later] });
    const ids = sessions.map((each: { id: string }) => each.id);
    const first = { start_time: "2030-06-05T10:00", end_time: "2030-06-05T11:00" };
    const stay = [session, later].map((each, at) => ({ ...each, id: ids[at] }));
    world.act("updateEvent", { event_id: id, sessions: [first, ...stay] });
    const now = world.event(id).sessions.map((each) => each.id);
    expect([now.slice(1), new Set(now).size]).toEqual([ids, 3]);
    world.act("updateEvent", {
      event_id: id,
      sessions: [stay[1], { start_time: "2030-06-20T10:00", end_time: "2030-06-20T11:00" }],
    });
    expect(world.event(id).sessions[0]?.id).toBe(ids[1]);
  });

  it("have their sessions in order, in the zone of the location", () => {
    const world = worldForTests();
    const earlier = { start_time: "2030-06-07T10:00", end_time: "2030-06-07T12:00" };
    const { id, sessions } = make(world, { id: "evt-1", sessions: [session, earlier], booking_cutoff: "PT2H" });
    const paths = ["evt-1-2", "evt-1-1"].map((path) => hash("sha256", path, "hex").slice(0, 32));
    expect(sessions.map((each: { id: string }) => each.id)).toEqual(paths);
    expect(sessions[0]).toMatchObject({ start_time: "2030-06-07T10:00:00", timezone: "Europe/Copenhagen" });
    expect(world.event(id).cutoff_at).toBe("2030-06-07T06:00:00.000Z");
    world.act("updateEvent", { event_id: id, booking_cutoff: null });
    expect(world.event(id).cutoff_at).toBe("2030-06-07T08:00:00.000Z");
  });

  it.each([
    ["that of their experience", {}, "2030-06-08T06:00:00.000Z"],
    ["their own", { booking_cutoff: "PT1H" }, "2030-06-08T07:00:00.000Z"],
    ["none, whatever their experience says", { booking_cutoff: null }, "2030-06-08T08:00:00.000Z"],
  ])("have a cut-off: %s", (_, more, cutoff) => {
    const world = worldForTests();
    world.act("updateExperience", { experience_id: "exp-tour", booking_cutoff: "PT2H" });
    expect(world.event(make(world, more).id).cutoff_at).toBe(cutoff);
  });

  it("that are cancelled are reported before their bookings, oldest booking first", () => {
    const world = worldForTests();
    for (const id of ["z", "m", "a"]) {
      book(world, { id });
      world.advance(new Date(Date.parse(world.now) + 1000).toISOString());
    }
    world.act("cancelEvent", { event_id: "evt-noon" });
    const reported = world.facts.filter(({ fact }) => fact === "event.cancelled" || fact === "booking.cancelled");
    expect(reported.map(({ id }) => id)).toEqual(["evt-noon", "z", "m", "a"]);
  });

  it("are not locked once they are over, and do not change when their locking booking changes", () => {
    const world = worldForTests();
    const { id } = book(world);
    world.act("lockEvent", { event_id: "evt-noon", booking_id: id });
    world.advance("2030-06-02T12:00:00.000Z");
    const { locked_by, updated_at } = world.event("evt-noon");
    expect([locked_by, updated_at]).toEqual([undefined, "2030-06-02T12:00:00.000Z"]);
    world.now = "2030-06-03T12:00:00.000Z";
    world.act("cancelBooking", { booking_id: id });
    expect(world.event("evt-noon").updated_at).toBe(updated_at);
    expect(world.facts.map(({ fact }) => fact)).not.toContain("event.updated");
  });
});

describe("Locations", () => {
  it("need no fields, get the fallback zone, and are gone once deleted", () => {
    const world = worldForTests();
    const { id, timezone } = world.act("addLocation", {});
    expect(timezone).toBe("Europe/Copenhagen");
    expect(world.refusal("addLocation", { id })).toBe("ID_TAKEN");
    expect(world.refusal("addLocation", { timezone: "Mars/Olympus" })).toBe("INVALID_INPUT");
    world.act("removeLocation", { location_id: "loc-pier" });
    expect(world.refusal("removeLocation", { location_id: "loc-pier" })).toBe("NOT_FOUND");
    expect(world.event("evt-noon").sessions[0]?.location_id).toBe("loc-pier");
    const input = { experience_id: "exp-tour", sessions: [session], capacity: 1 };
    expect(world.refusal("createEvent", input)).toBe("LOCATION_REMOVED");
  });
});

describe("A limit", () => {
  it("below the sold quantity leaves zero, not a negative number", () => {
    const world = worldForTests();
    book(world, { items: [item("var-adult", 3), item("add-lunch", 3)] });
    const [adult, boat] = TOUR.ticket_variants;
    world.act("updateExperience", { experience_id: "exp-tour", ticket_variants: [{ ...adult, limit: 1 }, boat] });
    expect(() => book(world, { items: [item("var-adult")] })).toThrow(
      "Event evt-noon has 0 of var-adult left, and you requested 1. Book fewer",
    );
  });
});

describe("A deleted location", () => {
  it("accepts no new experience, and no event", () => {
    const world = worldForTests();
    world.act("addLocation", { id: "loc-old" });
    world.act("removeLocation", { location_id: "loc-old" });
    const input = { name: "Tour", location_ids: ["loc-old"], ticket_variants: TOUR.ticket_variants };
    expect(world.refusal("createExperience", input)).toBe("INVALID_INPUT");
    expect(world.refusal("updateExperience", { experience_id: "exp-tour", location_ids: ["loc-old"] })).toBe(
      "INVALID_INPUT",
    );
  });
});

describe("Zones", () => {
  it.each([
    ["europe/copenhagen", "Europe/Copenhagen"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["asia/calcutta", "Asia/Calcutta"],
    ["america/port-au-prince", "America/Port-au-Prince"],
    ["utc", "UTC"],
    ["etc/gmt+5", "Etc/GMT+5"],
  ])("given as %s are %s", (timezone, spelled) => {
    const world = worldForTests();
    expect(world.act("addLocation", { id: "loc-new", timezone }).timezone).toBe(spelled);
    const made = world.act("createEvent", {
      experience_id: "exp-tour",
      capacity: 1,
      sessions: [{ ...session, timezone, location_id: "loc-new" }],
    });
    expect(made.sessions[0].timezone).toBe(spelled);
  });

  it.each(["+02:00", "-0530", "+00", "Z", "Europe/Kopenhagen", "", "UTC+2", "2"])("%s are invalid", (timezone) => {
    expect(worldForTests().refusal("addLocation", { timezone })).toBe("INVALID_INPUT");
  });
});

describe("Rejections give advice for", () => {
  const sentences: [string, (world: TestWorld) => void, string][] = [
    [
      "a change of what has ended",
      (world) => {
        world.act("cancelEvent", { event_id: "evt-noon" });
        world.act("updateEvent", { event_id: "evt-noon", capacity: 20 });
      },
      "event evt-noon is CANCELLED and can't be changed. Allowed in: ACTIVE, INACTIVE.",
    ],
    [
      "an id that is taken",
      (world) =>
        world.act("createEvent", { id: "evt-noon", experience_id: "exp-tour", sessions: [session], capacity: 1 }),
      "Another event has the id evt-noon. Leave `id` out, or choose another.",
    ],
    [
      "more tickets than one booking has",
      (world) => {
        const free = { ...variant, id: "var-free", seats: 0 };
        world.act("updateExperience", { experience_id: "exp-tour", ticket_variants: [free] });
        book(world, { items: [item("var-free", 10_001)] });
      },
      "One booking has at most 1000 tickets, and you requested 10001. Book fewer, or create several bookings.",
    ],
    [
      "a holder that is none",
      (world) => {
        const { id } = book(world);
        world.act("cancelBooking", { booking_id: id });
        world.act("lockEvent", { event_id: "evt-noon", booking_id: id });
      },
      "is CANCELLED and can't hold an event. Allowed in: ACTIVE, CHECKED_IN.",
    ],
  ];
  it.each(sentences)("%s", (_, attempt, sentence) => {
    expect(() => attempt(worldForTests())).toThrow(sentence);
  });
});
