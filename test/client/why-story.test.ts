// The story of an explanation is laid out once, for the terminal, the console and the model's tools.
import { expect, it } from "vitest";
import type { Schemas } from "../../src/client/control.ts";
import { createStory, toTextLines } from "../../src/client/why-story.ts";

const at = "2030-06-01T09:00:00.000Z";
const wall_at = "2026-11-23T12:04:01.000Z";

const why = {
  id: "req-1",
  kind: "request",
  title: "createBooking",
  at,
  wall_at,
  world: "default",
  causes: [
    { kind: "request", id: "req-0", title: "createOrder" },
    { kind: "fixture", id: "harbour-tours", title: "the fixture harbour-tours" },
  ],
  facts: [{ fact: "booking.created", id: "bkg-1" }],
  fact_count: 3,
  changes: [
    { collection: "bookings", id: "bkg-1", change: "created", members: [{ path: "", after: { id: "bkg-1" } }] },
    {
      collection: "orders",
      id: "ord-1",
      change: "updated",
      members: [{ path: "total", after: { currency: "DKK", value: 123450, exponent: 2 } }],
    },
  ],
  entry_count: 1,
  entries: [
    {
      id: "ent-1",
      number: "1001",
      kind: "SALE",
      currency: "DKK",
      exponent: 2,
      postings: [
        { type: "RECEIVABLE", direction: "DEBIT", amount: 50000 },
        { type: "SALES", direction: "CREDIT", amount: 50000 },
      ],
    },
  ],
  messages: [
    { id: "msg_1", kind: "v1.booking.created", deliveries: [] },
    {
      id: "msg_2",
      kind: "v1.order.updated",
      deliveries: [
        {
          id: "dlv_1",
          url: "http://127.0.0.1:9/hook",
          state: "PENDING",
          attempts: [
            { at, status: 500, error: null },
            { at, status: null, error: "connection refused" },
          ],
        },
        { id: "dlv_2", url: "http://127.0.0.1:9/other", state: "PENDING", attempts: [] },
      ],
    },
  ],
  // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
  then: [
    { id: "req-2", seq: 2, kind: "request", at, wall_at, title: "getBooking", status: 404 },
    { id: "act-3", seq: 3, kind: "act", at, wall_at, title: "cancelBooking", status: 200 },
  ],
} satisfies Schemas["Why"] as Schemas["Why"];

it("has one list of lines", () => {
  const sections = createStory(why, { longest: 60 }).map(({ title, lines }) => [
    title,
    ...lines.flatMap((line) => toTextLines(line)),
  ]);
  expect(sections).toEqual([
    ["caused by", "request req-0 createOrder", "the fixture harbour-tours"],
    ["facts", "booking.created bkg-1", "and 2 more"],
    ["changes", ...["bookings bkg-1 created", "orders ord-1 updated", "  total: none → DKK 1234.50"]],
    ["ledger", "1001 SALE", "  debit RECEIVABLE DKK 500.00 · credit SALES DKK 500.00"],
    [
      ...["webhooks", "v1.booking.created msg_1 no subscriber"],
      ...["v1.order.updated msg_2", "  PENDING http://127.0.0.1:9/hook", "    500, connection refused"],
      ...["  PENDING http://127.0.0.1:9/other", "    not attempted yet"],
    ],
    ["then the same client", "12:04:01Z getBooking 404", "12:04:01Z cancelBooking"],
  ]);
});

it("shows the target of each line, and nothing for a fixture, which has no trace", () => {
  const refers = createStory(why, { longest: 60 }).flatMap(({ lines }) =>
    lines.map(({ pieces }) => pieces.flatMap((piece) => (piece.refers ? [piece.refers.join(" ")] : []))),
  );
  expect(refers.map(([first = "-"]) => first)).toEqual([
    ...["story req-0", "-", "story bkg-1", "-", "records bookings bkg-1", "records orders ord-1", "story ent-1"],
    ...["webhooks msg_1", "webhooks msg_2", "story req-2", "story act-3"],
  ]);
});
