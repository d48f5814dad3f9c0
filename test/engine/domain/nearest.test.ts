// A name is suggested when it is near, and none when all are far.
import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../../src/platform/nearest.ts";

test.each([
  ["cancelBookin", ["createBooking", "cancelBooking"], "cancelBooking"],
  ["bookAsHots", ["bookAsHost", "bookTimeslot"], "bookAsHost"],
  ["sede", ["resent", "seed"], "seed"],
  ["prod", ["preview", "production"], "production"],
  ["GETME", ["getMe"], "getMe"],
  ["v1.booking.made", ["v1.experience.created", "v1.booking.updated"], "v1.booking.updated"],
  ["tab", ["tap"], "tap"],
])("%s of %j means %s", (name, known, meant) => {
  expect(nearest(name, known)).toBe(meant);
});

test.each([
  ["nope", ["scopes", "getMe"]],
  ["init", ["wait", "exec"]],
  ["foo", ["ids", "for-all"]],
  ["alpha", ["preview"]],
  ["anna", ["env"]],
  ["x", ["y", "xx"]],
  ["", ["a"]],
  ["anything", []],
])("%s means none of %j", (name, known) => {
  expect(nearest(name, known)).toBeUndefined();
  expect(didYouMean(name, known)).toBe("");
});
