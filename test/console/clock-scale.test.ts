// The instants that can be typed on the clock screen.
import { expect, test } from "vitest";
import { parseInstant } from "../../src/console/clock/scale.ts";

test.each([
  ["2030-06-02 09:00", "2030-06-02T09:00:00.000Z"],
  [" 2030-06-02T09:00:30 ", "2030-06-02T09:00:30.000Z"],
  ["2030-06-02", "2030-06-02T00:00:00.000Z"],
])("reads %j in UTC", (text, instant) => expect(new Date(parseInstant(text)).toISOString()).toBe(instant));

test.each(["", "tomorrow", "2030-02-30", "2030-02-30 09:00", "2030-13-01 09:00", "2030-06-02 25:00", "6/2/2030"])(
  "rejects %j",
  (text) => expect(parseInstant(text)).toBeNaN(),
);
