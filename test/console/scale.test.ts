// The scale of the console's clock: where an instant lies, which one lies where, and how one is typed.
import { expect, test } from "vitest";
import { instantAt, positionOf, readInstant, scaleOf } from "../../src/console/clock/scale.ts";

const NOW = Date.parse("2030-06-01T09:00:00.000Z");
const [MINUTE, DAY] = [60_000, 86_400_000];

test("behind now there is room for the history, and for a third of what is ahead at most", () => {
  expect(scaleOf(NOW, 3 * DAY, NOW - MINUTE)).toEqual({ from: NOW - MINUTE, until: NOW + 3 * DAY });
  expect(scaleOf(NOW, 3 * DAY, NOW - 9 * DAY)).toEqual({ from: NOW - DAY, until: NOW + 3 * DAY });
  expect(scaleOf(NOW, 3 * DAY, NOW + DAY)).toEqual({ from: NOW, until: NOW + 3 * DAY });
});

test("an instant has a place from 0 to 100, and a place a whole minute, or now where it is near", () => {
  const scale = scaleOf(NOW, 3 * DAY, 0);
  expect([NOW - 9 * DAY, NOW - DAY, NOW, NOW + 9 * DAY].map((at) => positionOf(at, scale))).toEqual([0, 0, 25, 100]);
  expect(instantAt(0.5, scale, NOW)).toBe(NOW + DAY);
  expect(instantAt(0.2501, scale, NOW)).toBe(NOW);
  expect(instantAt(0.26001, scale, NOW) % MINUTE).toBe(0);
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
