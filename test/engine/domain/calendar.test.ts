// The calendar says what both availabilities say, whatever the fixture; and what a day looks like where clocks move, slots are odd,
// places are gone or have other zones. Assumptions: availability-which, timeslots, local-time.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type CalendarSpan, findClockChange, showCalendar } from "../../../src/engine/domain/event/calendar.ts";
import { fromLocal, shiftLocal, toLocal } from "../../../src/engine/domain/kernel/instant.ts";
import { price } from "../../../src/engine/domain/money/money.ts";
import { getAvailability } from "../../../src/engine/operations/availability/get-availability.ts";
import { listAvailabilities } from "../../../src/engine/operations/availability/list-availabilities.ts";
import { getEventAvailability } from "../../../src/engine/operations/events/get-event-availability.ts";
import { listEventAvailabilities } from "../../../src/engine/operations/events/list-event-availabilities.ts";
import { extent } from "../../extent.ts";
import { ANNA, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const COPENHAGEN = "Europe/Copenhagen";
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
/** Fixtures; all of them where there is time. */
const RUNS = extent(12, 80, 200);

const read = (world: TestWorld, span: CalendarSpan) => world.change((tx) => showCalendar(tx, span));
const weekOf = (from: string, zone?: string): CalendarSpan => ({
  from,
  to: shiftLocal(`${from}T00:00:00`, 7).slice(0, 10),
  zone,
});
const sessionsOf = (found: ReturnType<typeof read>, id = "exp-tour") =>
  found.experiences.find((each) => each.id === id)?.days.flatMap(({ sessions }) => sessions) ?? [];
const openingsOf = (found: ReturnType<typeof read>, id = "exp-tour") =>
  found.experiences.find((each) => each.id === id)?.days.flatMap(({ openings }) => openings) ?? [];

type Question = Parameters<typeof listAvailabilities.answer>[1];
/** Only what these operations look at. */
const requested = (more: object) => ({ path: {}, query: {}, headers: {}, body: {}, ...more }) as unknown as Question;

/** What the public API says of the span, for each experience: which events there are, and what can be had. */
function published(world: TestWorld, id: string, { from, to }: CalendarSpan) {
  const bounds = { from: `${from}T00:00:00`, to: `${to}T00:00:00` };
  return world.change((tx) => {
    const query = { experienceId: id, ...bounds, limit: 10_000 };
    const events = listEventAvailabilities.answer(tx, requested({ query }) as never).body?.items ?? [];
    const path = { experienceId: id };
    const all =
      listAvailabilities.answer(tx, requested({ path, body: { ...bounds, limit: 10_000 } })).body?.items ?? [];
    const times = new Map<string, number>();
    for (const { id } of all) times.set(id, (times.get(id) ?? 0) + 1);
    // Two rules that offer the same place at the same time share an id.
    for (const each of all.filter(({ id }) => times.get(id) === 1)) {
      const single = getAvailability.answer(
        tx,
        requested({ path: { ...path, availabilityId: each.id } }) as never,
      ).body;
      expect(single).toEqual(each);
    }
    for (const each of events) {
      const single = getEventAvailability.answer(tx, requested({ path: { eventId: each.event_id } }) as never).body;
      expect(single).toEqual(each);
    }
    const sittings = all.filter(({ subject }) => subject.type === "EVENT");
    return {
      events: events.map(({ event_id, available }) => `${event_id} ${available}`).sort(),
      sittings: sittings.map(({ subject, available }) => `${Object.values(subject).join(" ")} ${available}`).sort(),
      slots: all
        .filter(({ subject }) => subject.type === "TIMESLOT")
        .map(({ start_time, timezone, available }) => `${start_time} ${timezone} ${available}`)
        .sort(),
    };
  });
}

/** The same, as the calendar has it. */
function view(found: ReturnType<typeof read>, id: string) {
  const sessions = sessionsOf(found, id);
  const offered = sessions.filter(({ state, visibility }) => state === "ACTIVE" && visibility === "PUBLIC");
  return {
    events: [...new Set(sessions.map(({ event_id, bookable }) => `${event_id} ${bookable}`))].sort(),
    sittings: offered.map(({ event_id, session_id, bookable }) => `EVENT ${event_id} ${session_id} ${bookable}`).sort(),
    slots: openingsOf(found, id)
      .flatMap(({ timezone, slots }) => slots.map((slot) => ({ ...slot, timezone })))
      .filter(({ code }) => code !== "SLOT_NOT_FREE")
      .map(({ start_time, timezone, bookable }) => `${start_time} ${timezone} ${bookable}`)
      .sort(),
  };
}

const ZONES = [COPENHAGEN, "America/New_York", "Pacific/Kiritimati", "Australia/Lord_Howe"];
const DAYS = ["2030-06-02", "2030-10-26", "2030-10-27", "2031-03-09", "2031-03-30", "2032-05-30"];

const rule = fc.record({
  weekdays: fc.subarray(EVERY_DAY, { minLength: 3 }),
  hours: fc.constantFrom(
    { from: "08:00", to: "12:00", duration: "PT5400S" },
    { from: "00:00", to: "24:00", duration: "P1D" },
    { from: "00:00", to: "24:00", duration: "PT5H" },
    { from: "01:00", to: "04:00", duration: "PT30M" },
    { from: "22:00", to: "24:00", duration: "PT1H" },
  ),
  place: fc.nat(ZONES.length - 1),
  capacity: fc.integer({ min: 1, max: 4 }),
});
const happening = fc.record({
  of: fc.nat(1),
  /** Days after the first of the week. */
  on: fc.integer({ min: -1, max: 7 }),
  hour: fc.integer({ min: 0, max: 21 }),
  nights: fc.nat(2),
  place: fc.nat(ZONES.length - 1),
  capacity: fc.integer({ min: 0, max: 4 }),
  cutoff: fc.constantFrom(null, "PT0S", "PT26H", "P400D"),
  visibility: fc.constantFrom("PUBLIC", "PUBLIC", "PRIVATE"),
  after: fc.constantFrom("", "", "book", "fill", "lock", "cancelEvent", "deactivateEvent", "deleteEvent"),
});
const fixture = fc.record({
  rules: fc.array(rule, { maxLength: 3 }),
  events: fc.array(happening, { maxLength: 8 }),
  removed: fc.subarray(ZONES, { maxLength: 2 }),
  archived: fc.boolean(),
  later: fc.nat(200),
  week: fc.constantFrom(...DAYS),
});

const adult = (id: string, seats: number) => ({ id, name: id, price: price(100, "DKK"), vat_rate: "0", seats });

function worldOf({
  rules,
  events,
  removed,
  archived,
  later,
  week,
}: typeof fixture extends fc.Arbitrary<infer F> ? F : never): TestWorld {
  const world = worldForTests();
  ZONES.forEach((timezone, at) => void world.act("addLocation", { id: `loc-${at}`, timezone }));
  const opening_rules = rules.map(({ hours, place, ...each }) => {
    return { ...each, ...hours, location_id: `loc-${place}` };
  });
  const ticket_variants = [adult("var-one", 1), { ...adult("var-few", 2), limit: 1 }];
  for (const id of ["exp-0", "exp-1"])
    world.act("createExperience", { id, name: id, location_ids: ["loc-0"], ticket_variants, opening_rules });
  for (const [at, { of, on, hour, nights, place, after, cutoff, ...event }] of events.entries()) {
    const starts = (night: number) => shiftLocal(`${week}T${String(hour).padStart(2, "0")}:15:00`, on + night);
    const sessions = Array.from({ length: nights + 1 }, (_, night) => ({
      start_time: starts(night),
      end_time: `${starts(night).slice(0, 11)}23:45:00`,
      location_id: `loc-${place}`,
    }));
    const event_id = `evt-${at}`;
    const input = { ...event, id: event_id, experience_id: `exp-${of}`, sessions, booking_cutoff: cutoff };
    if (world.refusal("createEvent", input) !== "done" || after === "") continue;
    const quantity = after === "fill" ? event.capacity : 1;
    const items = [item("var-one", quantity)];
    if (after === "book" || after === "fill" || after === "lock")
      world.refusal("bookAsHost", { event_id, customer: ANNA, items, payments: [] });
    const [booking] = [...world.collections.bookings.all()].filter((each) => each.event_id === event_id);
    if (after === "lock" && booking) world.act("lockEvent", { event_id, booking_id: booking.id });
    if (after.endsWith("Event")) world.act(after as "cancelEvent", { event_id });
  }
  for (const zone of removed) world.act("removeLocation", { location_id: `loc-${ZONES.indexOf(zone)}` });
  if (archived) world.act("archiveExperience", { experience_id: "exp-1" });
  world.advance(new Date(Date.parse(world.now) + later * 86_400_000).toISOString());
  return world;
}

describe("The calendar", () => {
  it("shows every session and slot as both availabilities do, for every fixture", () => {
    let [sittings, slots] = [0, 0];
    const property = fc.property(fixture, (made) => {
      const world = worldOf(made);
      const span = weekOf(made.week);
      const found = read(world, span);
      for (const id of ["exp-0", "exp-1"]) {
        const message = published(world, id, span);
        expect(view(found, id)).toEqual(message);
        sittings += message.sittings.length;
        slots += message.slots.length;
      }
    });
    fc.assert(property, { numRuns: RUNS, seed: 5 });
    // It has met some of both.
    expect(Math.min(sittings, slots)).toBeGreaterThan(RUNS);
  });
});

/** A world with one rule and nothing else of the experience in that week. */
function ruled(other: object): TestWorld {
  const world = worldForTests();
  const byDefault = { weekdays: EVERY_DAY, from: "09:00", to: "12:00", duration: "PT1H", capacity: 4 };
  world.act("updateExperience", { experience_id: "exp-tour", opening_rules: [{ ...byDefault, ...other }] });
  return world;
}

const night = { from: "00:00", to: "06:00", duration: "PT1H" };

test.each<[what: string, rule: object, day: string, offered: string[]]>([
  ["the night on which clocks go back", night, "2030-10-27", ["00:00–06:00 6/6, 7 h"]],
  ["the night on which clocks go forward", night, "2031-03-30", ["00:00–06:00 5/5, 5 h"]],
  ["slots of 5400 seconds", { duration: "PT5400S" }, "2030-06-04", ["09:00–12:00 2/2, 3 h"]],
  ["slots of a day", { from: "00:00", to: "24:00", duration: "P1D" }, "2030-06-04", ["00:00–00:00 1/1, 24 h"]],
  ["the last days of the two years", {}, "2032-06-01", ["09:00–11:00 2/2, 2 h"]],
  ["more than two years ahead", {}, "2032-06-02", []],
])("the free slots of %s", (_, wanted, day, offered) => {
  const found = read(ruled(wanted), { from: day, to: shiftLocal(`${day}T00:00:00`, 1).slice(0, 10) });
  const hours = (slots: readonly { starts_at: string; ends_at: string }[]) =>
    slots.reduce((sum, { starts_at, ends_at }) => sum + Date.parse(ends_at) - Date.parse(starts_at), 0) / 3_600_000;
  expect(
    openingsOf(found).map(
      ({ from, to, free, of, slots }) => `${from.slice(11, 16)}–${to.slice(11, 16)} ${free}/${of}, ${hours(slots)} h`,
    ),
  ).toEqual(offered);
});

test("a deleted location offers none", () => {
  const world = ruled({});
  world.act("removeLocation", { location_id: "loc-pier" });
  expect(openingsOf(read(world, weekOf("2030-06-03")))).toEqual([]);
});

test("each location has its own zone, and a requested zone applies to all", () => {
  const world = worldForTests();
  world.act("addLocation", { id: "loc-ny", timezone: "America/New_York" });
  const session = { start_time: "2030-06-04T21:00:00", end_time: "2030-06-04T22:00:00", location_id: "loc-ny" };
  world.act("createEvent", { id: "evt-ny", experience_id: "exp-tour", capacity: 3, sessions: [session] });
  const at = (zone?: string) => {
    const found = sessionsOf(read(world, weekOf("2030-06-03", zone)));
    return found.map(({ event_id, from, timezone }) => [event_id, from, timezone]);
  };
  expect(at()).toEqual([
    ["evt-late", "2030-06-03T12:00:00", COPENHAGEN],
    ["evt-ny", "2030-06-04T21:00:00", "America/New_York"],
  ]);
  expect(at("UTC")).toEqual([
    ["evt-late", "2030-06-03T10:00:00", COPENHAGEN],
    ["evt-ny", "2030-06-05T01:00:00", "America/New_York"],
  ]);
});

test.each<[what: string, then: (world: TestWorld) => unknown, bookable: boolean, code?: string]>([
  ["open", () => undefined, true],
  ["full", (world) => world.act("updateEvent", { event_id: "evt-late", capacity: 0 }), false, "NOT_ENOUGH_RESOURCES"],
  ["open for a millisecond more", (world) => world.advance("2030-06-03T09:59:59.999Z"), true],
  ["closed", (world) => world.advance("2030-06-03T10:00:00.000Z"), false, "EVENT_PAST_CUTOFF"],
  [
    "of what is archived",
    (world) => world.act("archiveExperience", { experience_id: "exp-tour" }),
    false,
    "EVENT_NOT_ACTIVE",
  ],
  ["off", (world) => world.act("deactivateEvent", { event_id: "evt-late" }), false, "EVENT_NOT_ACTIVE"],
  ["over", (world) => world.advance("2030-06-03T18:00:00.000Z"), false, "EVENT_NOT_ACTIVE"],
])("an event that is %s has the code of the rejection", (_, then, bookable, code) => {
  const world = worldForTests();
  then(world);
  const late = sessionsOf(read(world, weekOf("2030-06-03"))).filter(({ event_id }) => event_id === "evt-late");
  expect(late.map((each) => [each.bookable, each.reason?.code])).toEqual([[bookable, code]]);
  const refusal = world.refusal("bookAsHost", { event_id: "evt-late", customer: ANNA, items: [item("var-adult")] });
  expect(refusal).toBe(code ?? "done");
});

test("a slot that begins now is not free, and a slot whose cut-off is now is past it", () => {
  const world = ruled({});
  world.act("updateExperience", { experience_id: "exp-tour", booking_cutoff: "PT1H" });
  world.advance("2030-06-03T07:00:00.000Z");
  const [opening] = openingsOf(read(world, { from: "2030-06-03", to: "2030-06-04" }));
  expect([opening?.free, opening?.slots.map(({ start_time, code }) => [start_time.slice(11, 16), code])]).toEqual([
    1,
    [
      ["09:00", "SLOT_NOT_FREE"],
      ["10:00", "EVENT_PAST_CUTOFF"],
      ["11:00", undefined],
    ],
  ]);
});

test("the sessions of a day are in order, each with its number within its event", () => {
  const world = worldForTests();
  const at = (hour: string) => ({ start_time: `2030-06-03T${hour}:00:00`, end_time: `2030-06-03T${hour}:30:00` });
  const sessions = [at("15"), at("09"), at("18")];
  world.act("createEvent", { id: "evt-three", experience_id: "exp-tour", capacity: 3, sessions });
  const found = sessionsOf(read(world, weekOf("2030-06-03")));
  expect(found.map(({ event_id, number, of, from }) => `${event_id} ${number}/${of} ${from.slice(11, 13)}`)).toEqual([
    ...["evt-three 1/3 09", "evt-late 1/1 12", "evt-three 2/3 15", "evt-three 3/3 18"],
  ]);
});

test.each([
  ["2030-03-31", COPENHAGEN, { hours: 23, from: "02:00", to: "03:00" }],
  ["2030-10-27", COPENHAGEN, { hours: 25, from: "03:00", to: "02:00" }],
  ["2030-10-06", "Australia/Lord_Howe", { hours: 23.5, from: "02:00", to: "02:30" }],
  ["2030-03-31", "Asia/Beirut", { hours: 23, from: "00:00", to: "01:00" }],
  ["2030-06-01", COPENHAGEN, undefined],
  ["2030-03-31", "UTC", undefined],
])("the clocks on %s in %s", (day, timezone, change) => {
  expect(findClockChange(day, timezone)).toEqual(change && { timezone, ...change });
});

test("a session across a clock change shows its duration", () => {
  const world = worldForTests();
  const session = { start_time: "2030-10-27T00:30:00", end_time: "2030-10-27T04:00:00" };
  world.act("createEvent", { id: "evt-night", experience_id: "exp-tour", capacity: 3, sessions: [session] });
  const found = read(world, weekOf("2030-10-21"));
  expect(sessionsOf(found).map(({ note }) => note)).toEqual([
    "The clocks change during this session: it lasts 270 minutes, but its times are 210 minutes apart.",
  ]);
  expect(found.days.filter(({ clock_changes }) => clock_changes.length > 0).map(({ day }) => day)).toEqual([
    "2030-10-27",
  ]);
  expect(toLocal(fromLocal(session.start_time, COPENHAGEN), COPENHAGEN)).toBe(session.start_time);
});
