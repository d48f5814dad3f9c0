// How the smallest change is looked for: what is tried, in which order, how deep and how often, and what is only said.
import { expect, it } from "vitest";
import { beforeCutoff, knownEvent, notActive } from "../../../src/engine/why/proposals/booking.ts";
import { documentFor } from "../../../src/engine/why/proposals/money.ts";
import { pathsOf, type RejectedRequest } from "../../../src/engine/why/rule.ts";
import { type ProposedChange, smallestChange } from "../../../src/engine/why/solve.ts";
import { messageView, versionsOf } from "../../../src/engine/why/story.ts";
import type { PastCommit } from "../../../src/engine/world/state/commit.ts";
import type { World } from "../../../src/engine/world/state/world.ts";

const PARTS = ["a", "b", "c", "d", "e", "f"];

/** A refusal that has many proposals: each part of the order, five at most. */
function requested(message: string, values: object = { order_id: "ord", kind: "refund", id: "no" }): RejectedRequest {
  const order = { refunds: PARTS.map((id) => ({ id })), transactions: [] };
  return {
    rejection: { rule: "TRANSACTION_NOT_FOUND", code: "", status: 404, message, values: [values], violations: [] },
    ...{ body: { id: "no", more: { id: "no" } }, path: {}, query: {}, headers: {} },
    read: () => order,
  } as unknown as RejectedRequest;
}

/** What is tried, each with what stands against it; nothing: it works. */
async function tried(answers: (id: unknown, nth: number) => RejectedRequest | undefined) {
  const ids: unknown[] = [];
  const changes: ProposedChange[] = [];
  const found = await smallestChange(requested("first"), async (change) => {
    changes.push(change);
    return answers(change.set["body.id"], ids.push(change.set["body.id"]));
  });
  return { ids, changes, found };
}

it("The nearest one that works is taken, at each place, and nothing is tried after it", async () => {
  const { ids, found } = await tried((id) => (id === "c" ? undefined : requested("first")));
  expect(ids).toEqual(["a", "b", "c"]);
  expect(found).toEqual({
    text: "The order has the refund c.",
    change: { set: { "body.id": "c", "body.more.id": "c" }, first: [] },
    tried: true,
  });
});

it("Where nothing is better afterwards, it is not gone on from there", async () => {
  const { ids, found } = await tried(() => requested("first"));
  expect([ids, found]).toEqual([["a", "b", "c", "d", "e"], undefined]);
});

it("Another refusal of the same rule is progress: two of them are gone on from, four deep", async () => {
  const { ids, found } = await tried((_, nth) => requested(`after ${nth}`));
  const five = PARTS.slice(0, 5);
  // Forty in all: the first five, those four levels down from the first and the second of each level.
  expect([ids, found]).toEqual([Array(8).fill(five).flat(), undefined]);
});

it("The second one that is progress is gone on from, too", async () => {
  const { ids, found } = await tried((id, nth) => {
    if (nth <= 2) return requested(`after ${id}`);
    return nth <= 10 ? requested(nth <= 5 ? "first" : "after a") : undefined;
  });
  expect([ids, found?.change.set["body.id"]]).toEqual([[..."abcdeabcdea"], "a"]);
});

it.each([
  ["SALE", { "body.type": "RECEIPT" }],
  ["REFUND", { "body.type": "CREDIT_NOTE" }],
  ["BREAKAGE", undefined],
])("The document of a %s", (kind, set) => {
  const of = { ...requested("", { kind, type: "X" }), body: { type: "X" } } as unknown as RejectedRequest;
  expect(documentFor(of).map((each) => each.set)).toEqual(set === undefined ? [] : [set]);
});

it.each([
  ["INACTIVE", [{ act: "activateEvent", input: { event_id: "evt" } }]],
  ["CANCELLED", undefined],
  ["COMPLETED", undefined],
])("An event that is %s", (state, first) => {
  const tx = { events: { get: () => ({ id: "evt", state }), walk: () => [] }, experiences: { get: () => undefined } };
  const of = { ...requested("", { event_id: "evt" }), read: (question: (tx: unknown) => unknown) => question(tx) };
  expect(notActive(of as unknown as RejectedRequest).map((each) => each.first)).toEqual(
    first === undefined ? [] : [first],
  );
});

it("What was put right stays as it is, while what stands against it then is put right too", async () => {
  const tx = {
    events: { get: () => ({ id: "evt", state: "INACTIVE" }), walk: () => [] },
    experiences: { get: () => null },
  };
  const next = (rule: string, values: object, more: object = {}) => {
    const of = requested("then", values);
    return {
      ...of,
      rejection: { ...of.rejection, rule },
      body: { id: "no", type: "X" },
      ...more,
    } as unknown as RejectedRequest;
  };
  const inactive = next(
    "EVENT_NOT_ACTIVE",
    { event_id: "evt" },
    { read: (question: (tx: unknown) => unknown) => question(tx) },
  );
  const answers = [
    inactive,
    ...Array(4).fill(requested("first")),
    next("DOCUMENT_NOT_OF_KIND", { kind: "SALE", type: "X" }),
  ];
  const { changes, found } = await tried((_, nth) => answers[nth - 1]);
  const first = [{ act: "activateEvent", input: { event_id: "evt" } }];
  const set = { "body.id": "a", "body.more.id": "a" };
  expect(changes.slice(5)).toEqual([
    { set, first },
    { set: { ...set, "body.type": "RECEIPT" }, first },
  ]);
  expect(found).toEqual({
    text: "The order has the refund a. The host activates it first (act activateEvent). A SALE takes a RECEIPT.",
    change: { set: { ...set, "body.type": "RECEIPT" }, first },
    tried: true,
  });
});

it("A message is told with each attempt: what its receiver answered, or why it did not", () => {
  const at = "2030-06-01T09:00:00.000Z";
  const attempts = [
    { at, answer: { status: 500 } },
    { at, error: "It was refused." },
  ];
  const delivery = { id: "dlv", url: "http://a", state: "PENDING" };
  const message = { id: "msg", kind: "v1.booking.created", deliveries: [{ ...delivery, attempts }] };
  expect(messageView(message as never)).toEqual({
    ...{ id: "msg", kind: "v1.booking.created" },
    deliveries: [
      {
        ...delivery,
        attempts: [
          { at, status: 500, error: null },
          { at, status: null, error: "It was refused." },
        ],
      },
    ],
  });
});

it("The latest instant for a booking is the last millisecond before the cut-off", () => {
  const tx = { events: { get: () => undefined }, bookings: { get: () => undefined } };
  const of = {
    ...requested("", { cutoff: "2030-06-01T09:00:00.000Z" }),
    read: (question: (tx: unknown) => unknown) => question(tx),
  };
  expect(beforeCutoff(of as unknown as RejectedRequest)).toEqual([
    {
      text: "The latest instant at which it could be booked is 2030-06-01T08:59:59.999Z.",
      at: "2030-06-01T08:59:59.999Z",
    },
  ]);
});

it("A value is found wherever the request has it", () => {
  const request = { path: { id: "x", other: "y" }, body: { a: ["x", { b: "x" }], c: "xy" }, query: { id: "x" } };
  expect(pathsOf(request, "x")).toEqual(["path.id", "body.a.0", "body.a.1.b", "query.id"]);
});

it("Of an event that nobody knows only those of experiences that have all that is wanted are named", () => {
  const asksFor: string[] = [];
  const variant = (id: string) => ({ id, add_on_variants: [] });
  const experiences = [
    { id: "one", ticket_variants: [variant("var-a")] },
    { id: "both", ticket_variants: [variant("var-a"), variant("var-b")] },
  ];
  const tx = {
    events: {
      ids: () => [],
      walk(_: string, { from }: { from: unknown }) {
        asksFor.push(JSON.stringify(from));
        return [];
      },
    },
    experiences: { walk: () => experiences, get: () => undefined },
  };
  const items = ["var-a", "var-b"].map((type_id) => ({ type_id, quantity: 1 }));
  const of = { ...requested("", { event_id: "evt" }), body: { event_id: "evt", items } };
  knownEvent({ ...of, read: (question: (tx: unknown) => unknown) => question(tx) } as unknown as RejectedRequest);
  expect(asksFor).toEqual([expect.stringContaining("both")]);
});

it("Of the fixture's steps those that changed a record are told, and none that only wrote it", () => {
  const [first, then] = [{ id: "r" }, { id: "r", n: 1 }];
  const step = (step: string, before: object | null, after: object) => ({
    ...{ step, title: "act", at: "2030-06-01T09:00:00.000Z", facts: [] },
    changes: [
      { collection: "events", id: "r", before, after },
      { collection: "events", id: "other", before: null, after: { id: "other" } },
    ],
  });
  const steps = [step("1", null, first), step("2", first, first), step("3", first, then)] as PastCommit[];
  const world = { find: () => ({ collection: "events", record: then }), identity: () => undefined } as unknown as World;
  expect(versionsOf({ world, id: "r", versions: [] }, steps, () => "").map(({ cause }) => cause.id)).toEqual([
    "3",
    "1",
  ]);
});
