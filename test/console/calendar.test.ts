// The week of the calendar: local times in any zone, nights on which the clocks move, and what each cell says.
import { describe, expect, test } from "vitest";
import type { EventRecord, ExperienceRecord } from "../../src/console/calendar/records.ts";
import { weekOf } from "../../src/console/calendar/week.ts";
import { clockChangeOn, dayAfter, instantOf, localOf, mondayOf } from "../../src/console/calendar/zone.ts";
import { instantToLocal, localToInstant } from "../../src/domain/kernel/instant.ts";

const COPENHAGEN = "Europe/Copenhagen";
const iso = (at: number) => new Date(at).toISOString();

describe("local times", () => {
  test.each([
    ["2030-06-01T09:00:00", COPENHAGEN],
    ["2030-03-31T02:30:00", COPENHAGEN],
    ["2030-10-27T02:30:00", COPENHAGEN],
    ["2030-10-27T03:00:00", COPENHAGEN],
    ["2030-03-10T02:15:00", "America/New_York"],
    ["2030-10-06T02:10:00", "Australia/Lord_Howe"],
    ["2030-01-01T00:00:00", "Asia/Kathmandu"],
    ["2030-12-31T23:59:00", "Pacific/Kiritimati"],
  ])("%s in %s means the instant that the rules take", (local, zone) => {
    expect(iso(instantOf(local, zone))).toBe(localToInstant(local, zone));
    expect(localOf(instantOf(local, zone), zone)).toBe(instantToLocal(localToInstant(local, zone), zone));
  });
  test("days and weeks", () => {
    expect(dayAfter("2030-02-28", 1)).toBe("2030-03-01");
    expect(mondayOf("2030-06-01")).toBe("2030-05-27");
    expect(mondayOf("2030-05-27")).toBe("2030-05-27");
  });
  test.each([
    ["2030-03-31", COPENHAGEN, { hours: 23, from: "02:00", to: "03:00" }],
    ["2030-10-27", COPENHAGEN, { hours: 25, from: "03:00", to: "02:00" }],
    ["2030-10-06", "Australia/Lord_Howe", { hours: 23.5, from: "02:00", to: "02:30" }],
    ["2030-06-01", COPENHAGEN, undefined],
    ["2030-03-31", "UTC", undefined],
  ])("%s in %s", (day, zone, change) => {
    expect(clockChangeOn(day, zone)).toEqual(change);
  });
});

const experience: ExperienceRecord = {
  id: "exp-canal",
  state: "ACTIVE",
  name: { en: "Canal tour" },
  opening_rules: [{ weekdays: [6], from: "10:00", to: "14:00", duration: "PT1H", location_id: "loc-1", capacity: 8 }],
};

function event(id: string, from: string, to: string, other: Partial<EventRecord> = {}): EventRecord {
  const session = { id: `${id}-1`, start_time: from, end_time: to, timezone: COPENHAGEN, location_id: "loc-1" };
  const [starts_at, ends_at] = [localToInstant(from, COPENHAGEN), localToInstant(to, COPENHAGEN)];
  return {
    id,
    state: "ACTIVE",
    experience_id: "exp-canal",
    capacity: { total: 12, reserved: 4 },
    sessions: [{ ...session, starts_at, ends_at }],
    cutoff_at: starts_at,
    ...other,
  };
}

const weekWith = (events: readonly EventRecord[], other = {}) =>
  weekOf({
    monday: "2030-05-27",
    now: "2030-06-01T09:30:00.000Z",
    reading: "local",
    experiences: [experience],
    events,
    ...other,
  });
const onlyRow = (events: readonly EventRecord[], other = {}) => weekWith(events, other).rows[0]?.cells ?? [];

describe("a week", () => {
  test("has seven days, today marked, in the zone of the sessions", () => {
    const week = weekWith([event("evt-1", "2030-06-01T19:00:00", "2030-06-01T21:00:00")]);
    expect(week.zone).toBe(COPENHAGEN);
    expect(week.days.map(({ day }) => day).at(-1)).toBe("2030-06-02");
    expect(week.days.filter(({ isToday }) => isToday).map(({ day }) => day)).toEqual(["2030-06-01"]);
  });
  test("shows sold and capacity, and the day by local or by UTC time", () => {
    const late = event("evt-late", "2030-06-02T01:00:00", "2030-06-02T03:00:00");
    expect(onlyRow([late]).map(({ showings }) => showings)).toEqual([
      ...Array(6).fill([]),
      [
        {
          ...{
            event: "evt-late",
            part: "",
            from: "01:00",
            to: "03:00",
            utc: "2030-06-01T23:00:00.000Z",
            zone: COPENHAGEN,
          },
          ...{ sold: 4, total: 12, mark: "open", why: "Booking closes at 2030-06-01T23:00:00.000Z.", isPrivate: false },
        },
      ],
    ]);
    expect(onlyRow([late], { reading: "utc" })[5]?.showings).toMatchObject([{ from: "23:00", to: "01:00" }]);
  });
  test("shows what takes place in the order of its beginnings, each session of an event for itself", () => {
    const [first, last] = [
      event("evt-1", "2030-06-01T09:00:00", "2030-06-01T10:00:00"),
      event("evt-3", "2030-06-01T21:00:00", "2030-06-01T22:00:00"),
    ];
    const both = { ...last, sessions: [...last.sessions, ...first.sessions] };
    const middle = event("evt-2", "2030-06-01T15:00:00", "2030-06-01T16:00:00");
    expect(onlyRow([both, middle])[5]?.showings.map(({ event, part, from }) => `${from} ${event} ${part}`)).toEqual([
      ...["09:00 evt-3 2/2", "15:00 evt-2 ", "21:00 evt-3 1/2"],
    ]);
  });
  test("marks what an experience that is not on sale has", () => {
    const archived = { experiences: [{ ...experience, state: "ARCHIVED" }] };
    const cells = onlyRow([event("evt-1", "2030-06-01T19:00:00", "2030-06-01T21:00:00")], archived);
    expect(cells[5]?.showings).toMatchObject([{ mark: "off", why: "Its experience is ARCHIVED." }]);
    expect(cells[5]?.slots).toEqual([]);
  });
  test.each([
    ["open", {}, "Booking closes at"],
    ["open", { cutoff_at: "2030-06-01T09:30:00.001Z" }, "Booking closes at 2030-06-01T09:30:00.001Z."],
    ["closed", { cutoff_at: "2030-06-01T09:30:00.000Z" }, "Booking closed at 2030-06-01T09:30:00.000Z."],
    ["full", { capacity: { total: 4, reserved: 4 } }, "All seats are sold."],
    ["locked", { locked_by: "bkg-1" }, "Only bkg-1 can take its seats."],
    ["closed", { cutoff_at: "2030-06-01T09:00:00.000Z" }, "Booking closed at 2030-06-01T09:00:00.000Z."],
    ["off", { state: "CANCELLED" }, "It is CANCELLED."],
    ["over", { state: "COMPLETED" }, "It has taken place."],
  ])("marks %s", (mark, other, why) => {
    const cells = onlyRow([event("evt-1", "2030-06-01T19:00:00", "2030-06-01T21:00:00", other)]);
    expect(cells[5]?.showings).toMatchObject([{ mark, why: expect.stringContaining(why) }]);
  });
  test("says when the clocks move during a session, and leaves out what is deleted", () => {
    const night = event("evt-night", "2030-10-27T00:30:00", "2030-10-27T04:00:00");
    const gone = event("evt-gone", "2030-10-27T00:30:00", "2030-10-27T04:00:00", {
      deleted_at: "2030-06-01T09:00:00Z",
    });
    const week = weekWith([night, gone], { monday: "2030-10-21" });
    expect(week.days[6]?.change).toMatchObject({ hours: 25 });
    expect(week.rows[0]?.cells[6]?.showings).toMatchObject([
      { event: "evt-night", why: expect.stringContaining("it lasts 270 minutes, its times read 210") },
    ]);
  });
  test("counts the free slots of opening rules: not what is past, nor what an event takes at the same place", () => {
    // At 09:30 UTC it is 11:30 in Copenhagen: of 10, 11, 12 and 13 o'clock two are still to come, and one of them is taken.
    expect(onlyRow([event("evt-1", "2030-06-01T12:30:00", "2030-06-01T13:00:00")])[5]?.slots).toEqual([
      { from: "10:00", to: "14:00", duration: "PT1H", capacity: 8, of: 4, free: 1 },
    ]);
    expect(onlyRow([])[0]?.slots).toEqual([]);
    const elsewhere = event("evt-1", "2030-06-01T12:30:00", "2030-06-01T13:00:00");
    const [session] = elsewhere.sessions;
    const others = [{ state: "CANCELLED" }, { sessions: [{ ...session, location_id: "loc-2" }] }] as const;
    for (const other of others)
      expect(onlyRow([{ ...elsewhere, ...other } as EventRecord])[5]?.slots.map(({ free }) => free)).toEqual([2]);
  });
  test("shows an experience that is not on sale only where something takes place", () => {
    const archived = { experiences: [{ ...experience, state: "ARCHIVED" }] };
    expect(weekWith([], archived).rows).toEqual([]);
    expect(weekWith([event("evt-1", "2030-06-01T19:00:00", "2030-06-01T21:00:00")], archived).rows).toHaveLength(1);
  });
});
