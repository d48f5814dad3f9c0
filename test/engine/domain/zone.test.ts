// What is remembered of a zone answers as Temporal does, near every change of its clocks and far from them.
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, it } from "vitest";
import {
  countDays,
  fromLocal,
  getWeekday,
  isLocal,
  shiftLocal,
  toLocal,
} from "../../../src/engine/domain/kernel/instant.ts";

const ZONES = [
  "UTC",
  "Europe/Copenhagen",
  "America/New_York",
  "Asia/Tokyo",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
  "America/St_Johns",
  "+05:30",
];

const text = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: "second" });
const zone = fc.constantFrom(...ZONES);
/** Whole minutes from 2005 to 2045, half of them within three hours of a change of that zone. */
const moments = zone.chain((name) =>
  fc.tuple(
    fc.constant(name),
    fc.oneof(
      fc.integer({ min: 18_410_000, max: 39_450_000 }).map((minutes) => minutes * 60_000),
      fc.tuple(fc.integer({ min: 2005, max: 2044 }), fc.integer({ min: -180, max: 180 })).map(([year, minutes]) => {
        const start = Temporal.ZonedDateTime.from(`${year}-01-15T00:00[${name}]`);
        return (start.getTimeZoneTransition("next") ?? start).epochMilliseconds + minutes * 60_000;
      }),
    ),
  ),
);

it("Instants and local times are converted as in Temporal", () => {
  fc.assert(
    fc.property(moments, ([name, millis]) => {
      const there = Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO(name);
      expect(toLocal(new Date(millis).toISOString(), name)).toBe(text(there.toPlainDateTime()));
      const wall = Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO("UTC").toPlainDateTime();
      const meant = wall.toZonedDateTime(name, { disambiguation: "compatible" }).epochMilliseconds;
      expect(Date.parse(fromLocal(text(wall), name))).toBe(meant);
    }),
    { numRuns: 1500, seed: 1 },
  );
});

it("Days are counted in local time", () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: -20_000, max: 20_000 }), ([name, millis], days) => {
      const wall = Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO(name).toPlainDateTime();
      expect(shiftLocal(text(wall), days)).toBe(text(wall.add({ days })));
      expect(countDays(text(wall), shiftLocal(text(wall), days))).toBe(days);
      expect(getWeekday(text(wall))).toBe(wall.dayOfWeek);
    }),
    { numRuns: 500, seed: 2 },
  );
});

it.each(["2030-02-29T10:00", "2030-13-01T10:00", "2030-01-01T24:00", "2030-01-01T10:60", "2030-04-31T10:00:00"])(
  "%s is not a local time",
  (local) => {
    expect(isLocal(local)).toBe(false);
  },
);
