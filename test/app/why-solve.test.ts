// How the smallest change is looked for: what is tried, in which order, how deep and how often, and what is only said.
import { expect, it } from "vitest";
import { notActive } from "../../src/app/why/proposals/booking.ts";
import { documentFor } from "../../src/app/why/proposals/money.ts";
import type { Asked } from "../../src/app/why/rule.ts";
import { type Change, smallestChange } from "../../src/app/why/solve.ts";

const PARTS = ["a", "b", "c", "d", "e", "f"];

/** A refusal that has many proposals: each part of the order, five at most. */
function asked(message: string, values: object = { order_id: "ord", kind: "refund", id: "no" }): Asked {
  const order = { refunds: PARTS.map((id) => ({ id })), transactions: [] };
  return {
    refused: { rule: "TRANSACTION_NOT_FOUND", code: "", status: 404, message, values: [values], violations: [] },
    ...{ body: { id: "no", more: { id: "no" } }, path: {}, query: {}, headers: {} },
    read: () => order,
  } as unknown as Asked;
}

/** What is tried, each with what stands against it; nothing: it works. */
async function tried(answers: (id: unknown, nth: number) => Asked | undefined) {
  const ids: unknown[] = [];
  const changes: Change[] = [];
  const found = await smallestChange(asked("first"), async (change) => {
    changes.push(change);
    return answers(change.set["body.id"], ids.push(change.set["body.id"]));
  });
  return { ids, changes, found };
}

it("The nearest one that works is taken, at each place, and nothing is tried after it", async () => {
  const { ids, found } = await tried((id) => (id === "c" ? undefined : asked("first")));
  expect(ids).toEqual(["a", "b", "c"]);
  expect(found).toEqual({
    text: "The order has the refund c.",
    change: { set: { "body.id": "c", "body.more.id": "c" }, first: [] },
    tried: true,
  });
});

it("Where nothing is better afterwards, it is not gone on from there", async () => {
  const { ids, found } = await tried(() => asked("first"));
  expect([ids, found]).toEqual([["a", "b", "c", "d", "e"], undefined]);
});

it("Another refusal of the same rule is progress: two of them are gone on from, four deep", async () => {
  const { ids, found } = await tried((_, nth) => asked(`after ${nth}`));
  const five = PARTS.slice(0, 5);
  // Forty in all: the first five, those four levels down from the first and the second of each level.
  expect([ids, found]).toEqual([Array(8).fill(five).flat(), undefined]);
});

it("The second one that is progress is gone on from, too", async () => {
  const { ids, found } = await tried((id, nth) => {
    if (nth <= 2) return asked(`after ${id}`);
    return nth <= 10 ? asked(nth <= 5 ? "first" : "after a") : undefined;
  });
  expect([ids, found?.change.set["body.id"]]).toEqual([[..."abcdeabcdea"], "a"]);
});

it.each([
  ["SALE", { "body.type": "RECEIPT" }],
  ["REFUND", { "body.type": "CREDIT_NOTE" }],
  ["BREAKAGE", undefined],
])("The document of a %s", (kind, set) => {
  const of = { ...asked("", { kind, type: "X" }), body: { type: "X" } } as unknown as Asked;
  expect(documentFor(of).map((each) => each.set)).toEqual(set === undefined ? [] : [set]);
});

it.each([
  ["INACTIVE", [{ act: "activateEvent", input: { event_id: "evt" } }]],
  ["CANCELLED", undefined],
  ["COMPLETED", undefined],
])("An event that is %s", (state, first) => {
  const tx = { events: { get: () => ({ id: "evt", state }), walk: () => [] }, experiences: { get: () => undefined } };
  const of = { ...asked("", { event_id: "evt" }), read: (question: (tx: unknown) => unknown) => question(tx) };
  expect(notActive(of as unknown as Asked).map((each) => each.first)).toEqual(first === undefined ? [] : [first]);
});
