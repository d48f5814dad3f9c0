// What "contained in what came" means, matcher by matcher.
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/platform/json.ts";
import { compare } from "../../../src/stories/scenario/match.ts";

const received: Json = {
  status: 200,
  body: {
    items: [
      { id: "a", n: 1 },
      { id: "b", n: 2 },
      { id: "c", n: 3 },
    ],
    next: "xyz",
    none: null,
    odd: { toString: "b", constructor: "c" },
    empty: [],
  },
};
const fits = (wanted: Json) => compare(wanted, received).length === 0;

describe("an expectation is met when", () => {
  test.each<[string, Json]>([
    ["members are there, whatever else is", { status: 200 }],
    ["items follow one another in order", { body: { items: [{ id: "a" }, { id: "c" }] } }],
    ["an empty list came where one is wanted", { body: { empty: [] } }],
    ["items are named by their place", { body: { items: { 1: { id: "b" } } } }],
    ["null is null", { body: { none: null } }],
    ["a member has an inherited name", { body: { odd: { toString: "b", constructor: "c" } } }],
    ["$exists", { body: { next: { $exists: true }, gone: { $exists: false } } }],
    ["$type", { status: { $type: "integer" }, body: { $type: "object", items: { $type: "array" } } }],
    ["$match", { body: { next: { $match: "^x.z$" } } }],
    ["$length", { body: { items: { $length: 3 }, next: { $length: { $gt: 2 } } } }],
    ["$gt and $lt, on numbers and texts", { status: { $gt: 199, $lt: 201 }, body: { next: { $gt: "abc" } } }],
    ["$ne", { status: { $ne: 404 } }],
    ["matchers stand beside members", { body: { items: { $length: 3, 0: { id: "a" } } } }],
  ])("%s", (_, wanted) => expect(fits(wanted)).toBe(true));
});

describe("an expectation is not met when", () => {
  test.each<[string, Json]>([
    ["a member differs", { status: 201 }],
    ["a number came as text", { status: "200" }],
    ["items come in another order", { body: { items: [{ id: "c" }, { id: "a" }] } }],
    ["the list is not empty", { body: { items: [] } }],
    ["a list is wanted and none came", { body: { next: [] } }],
    ["null is wanted and nothing came", { body: { gone: null } }],
    ["an object is wanted and nothing came", { body: { gone: { id: "a" } } }],
    ["$exists", { body: { next: { $exists: false } } }],
    ["$type", { status: { $type: "string" } }],
    ["$match", { body: { next: { $match: "^z" } } }],
    ["$match meets no text", { status: { $match: "2" } }],
    ["$length", { body: { items: { $length: 2 } } }],
    ["$gt", { status: { $gt: 200 } }],
    ["$gt meets nothing", { body: { gone: { $gt: 0 } } }],
    ["$ne", { status: { $ne: 200 } }],
    ["$ne meets nothing", { body: { gone: { $ne: "a" } } }],
    ["$ne of a member is of an item that is not there", { body: { empty: { 0: { id: { $ne: "a" } } } } }],
    ["the length of a list is named like a member", { body: { items: { length: 3 } } }],
    ["a matcher fits and a member does not", { body: { items: { $length: 3, 0: { id: "b" } } } }],
  ])("%s", (_, wanted) => expect(fits(wanted)).toBe(false));
});

test("a difference shows the path, the expected and the actual value", () => {
  expect(compare({ body: { items: { 0: { n: 9 } } } }, received)).toEqual([
    { path: "body.items.0.n", wanted: 9, actual: 1 },
  ]);
});

test("the most similar item of a list is shown", () => {
  const wanted = { body: { items: [{ id: "b", n: 7 }] } };
  expect(compare(wanted, received)).toEqual([{ path: "body.items.1.n", wanted: 7, actual: 2 }]);
});

test("a pattern with exponential time in other engines is fast", () => {
  for (const $match of ["^(a+)+$", "^(a|aa)+$"]) expect(compare({ $match }, `${"a".repeat(5000)}!`)).toHaveLength(1);
});
