// The scale of the console's clock: where an instant lies, which one lies where, and how one is typed.
import { expect, test } from "vitest";
import {
  instantAt,
  positionOf,
  readInstant,
  STEPS,
  scaleOf,
  stepsBehind,
  stepsTo,
} from "../../src/console/clock/scale.ts";

const NOW = Date.parse("2030-06-01T09:00:00.000Z");
const [MINUTE, DAY] = [60_000, 86_400_000];

test("behind now there is room for the history, and for a third of what is ahead at most", () => {
  expect(scaleOf(NOW, 3 * DAY, NOW - MINUTE)).toEqual({ from: NOW - MINUTE, until: NOW + 3 * DAY });
  expect(scaleOf(NOW, 3 * DAY, NOW - 9 * DAY)).toEqual({ from: NOW - DAY, until: NOW + 3 * DAY });
  expect(scaleOf(NOW, 3 * DAY, NOW + DAY)).toEqual({ from: NOW, until: NOW + 3 * DAY });
});

test("an instant has a place from 0 to 100", () => {
  const scale = scaleOf(NOW, 3 * DAY, 0);
  expect([NOW - 9 * DAY, NOW - DAY, NOW, NOW + 9 * DAY].map((at) => positionOf(at, scale))).toEqual([0, 0, 25, 100]);
});

test.each([1, 7, 30, 365])("each step of %i days is another whole minute, also where now is none", (days) => {
  for (const now of [NOW, NOW + 30_000, NOW + 59_999]) {
    const scale = scaleOf(now, days * DAY, 0);
    const steps = Array.from({ length: 1 + stepsBehind(scale, now) + STEPS }, (_, at) => at - stepsBehind(scale, now));
    const instants = steps.map((step) => instantAt(step, scale, now));
    expect(instants.filter((at) => at % MINUTE !== 0 && at !== now)).toEqual([]);
    expect(new Set(instants).size).toBe(steps.length);
    expect(instants.map((at) => stepsTo(at, scale, now) + 0)).toEqual(steps);
    expect([instantAt(0, scale, now), instantAt(STEPS, scale, NOW)]).toEqual([now, NOW + days * DAY]);
  }
});

test.each([
  ["2030-06-01", "2030-06-01T00:00:00.000Z"],
  ["2030-06-01 09:30", "2030-06-01T09:30:00.000Z"],
  ["2030-06-01T09:30:15 utc", "2030-06-01T09:30:15.000Z"],
  [" 2030-06-01T09:30+02:00 ", "2030-06-01T07:30:00.000Z"],
  ["2030-13-01", undefined],
  ["2030-02-30", undefined],
  ["2030-02-29 10:00+02:00", undefined],
  ["2030-06-01 24:00", undefined],
  ["2032-02-29", "2032-02-29T00:00:00.000Z"],
  ["tomorrow", undefined],
])("%s is read as %s", (text, instant) => {
  expect(readInstant(text)).toBe(instant === undefined ? undefined : Date.parse(instant));
});
