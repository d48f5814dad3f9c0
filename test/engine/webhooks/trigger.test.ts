// A trigger really makes the thing happen: its kind is among what is sent, and an input that makes no sense is refused in words.
import { expect, it } from "vitest";
import { completeEvent } from "../../../src/engine/domain/event/event-end.ts";
import { DomainError } from "../../../src/engine/domain/kernel/domain-error.ts";
import { recordAdjustment } from "../../../src/engine/domain/money/journal.ts";
import { triggerKind } from "../../../src/engine/webhooks/trigger.ts";
import { book, makeHouse, newEvent, type TestSandbox } from "./kit.ts";

function furnished(): TestSandbox {
  const sandbox = makeHouse();
  sandbox.commit((tx) => {
    book(tx);
    newEvent(tx, "free", "2030-06-03T10:00:00", "2030-06-03T12:00:00");
    recordAdjustment(tx, { type: "SETTLEMENT", direction: "DEBIT", amount: 5, currency: "DKK", references: {} });
  });
  return sandbox;
}

const run = (sandbox: TestSandbox, kind: string, inputs: Record<string, unknown> = {}) => {
  const before = sandbox.messages().length;
  const result = sandbox.commit((tx) => triggerKind(tx, kind, inputs)) as Record<string, unknown>;
  return {
    result,
    kinds: sandbox
      .messages()
      .slice(before)
      .map((message) => message.kind),
  };
};

it.each<[string, string, Record<string, unknown>, object]>([
  [
    "an event",
    "v1.event.created",
    { capacity: 3, "sessions.0.start_time": "2030-06-02T09:30:00" },
    { capacity: { total: 3 }, sessions: [{ start_time: "2030-06-02T09:30:00" }] },
  ],
  [
    "a customer",
    "v1.booking.created",
    { "customer.email": "bo@example.com", event_id: "free" },
    { event_id: "free", customer: { email: "bo@example.com" } },
  ],
  ["items", "v1.booking.created", { items: [{ quantity: 2 }] }, { status: "ACTIVE" }],
  ["no change, so it counts", "v1.booking.updated", {}, { metadata: { triggered: "1" } }],
  [
    "metadata, source and note",
    "v1.booking.created",
    { "metadata.ref": "R-9", "metadata.crm": "A-1", source: "Web", internal_note: "VIP" },
    { metadata: { ref: "R-9", crm: "A-1" }, source: "Web", internal_note: "VIP" },
  ],
  ["metadata", "v1.booking.updated", { metadata: { ref: "R-9" } }, { metadata: { ref: "R-9" } }],
  ["metadata", "v1.event.created", { "metadata.ref": "R-9" }, { metadata: { ref: "R-9" } }],
  ["metadata", "v1.event.updated", { "metadata.ref": "R-9" }, { metadata: { ref: "R-9" } }],
  ["metadata", "v1.experience.created", { "metadata.ref": "R-9" }, { metadata: { ref: "R-9" } }],
  ["metadata", "v1.experience.updated", { "metadata.ref": "R-9" }, { metadata: { ref: "R-9" } }],
  ["a note", "v1.booking.updated", { internal_note: "Late" }, { internal_note: "Late" }],
  ["a name", "v1.experience.created", { name: "Named" }, { name: "Named" }],
  ["an e-mail", "v1.marketing_consent.created", { email: "x@example.com" }, { email: "x@example.com" }],
  [
    "an amount",
    "v1.journal_entry.created",
    { amount: 7, direction: "CREDIT" },
    { postings: [{ direction: "CREDIT", amount: { value: 7 } }, {}] },
  ],
])("A trigger accepts an input: %s", (_, kind, inputs, expected) => {
  expect(run(furnished(), kind, inputs).result).toMatchObject(expected);
});

it.each<[string, string, Record<string, unknown>, string]>([
  [
    "an unknown member",
    "v1.booking.created",
    { "customer.emial": "x" },
    "body.set.customer.emial: give one of these fields: name, email, phone",
  ],
  ["a wrong type", "v1.event.created", { capacity: "many" }, "body.set.capacity: give a whole number of at least 1"],
  [
    "a negative number",
    "v1.booking.created",
    { "items.0.quantity": -1 },
    "body.set.items.0.quantity: give a whole number of at least 1",
  ],
  ["no e-mail", "v1.marketing_consent.created", { email: "bo" }, "body.set.email: give an e-mail address"],
  ["no local time", "v1.event.created", { "sessions.0.end_time": "soon" }, "give a local date-time"],
  ["an unknown word", "v1.booking.cancelled", { refund: "half" }, "body.set.refund: give one of full, none, gift_card"],
  ["an unknown id", "v1.booking.cancelled", { booking_id: "nobody" }, "There is no booking nobody"],
  ["an unknown kind", "v1.booking.eaten", {}, "there is no kind v1.booking.eaten"],
  ["an index beyond the list", "v1.booking.created", { "items.5.quantity": 1 }, "give an index, 0 to 1"],
  ["a prototype", "v1.booking.created", { "__proto__.x": 1 }, "give one of these fields"],
])("A trigger rejects %s, and changes nothing", (_, kind, inputs, words) => {
  const sandbox = furnished();
  const before = sandbox.kept.length;
  expect(() => run(sandbox, kind, inputs)).toThrow(words);
  expect(sandbox.kept).toHaveLength(before);
});

it("A trigger of an update sends it each time, but not for an unchanged value", () => {
  const sandbox = furnished();
  for (const kind of ["v1.event.updated", "v1.experience.updated", "v1.booking.updated"])
    for (const count of ["1", "2"]) expect(run(sandbox, kind).result).toMatchObject({ metadata: { triggered: count } });
  expect(run(sandbox, "v1.booking.updated", { locale: "da" }).kinds).toEqual(["v1.booking.updated"]);
  expect(() => run(sandbox, "v1.booking.updated", { locale: "da" })).toThrow("already has these values");
});

it("A trigger without a suitable record is a conflict with advice", () => {
  const sandbox = makeHouse();
  const kind = "v1.booking.cancelled";
  expect(() => run(sandbox, kind)).toThrow("trigger v1.booking.created first");
  expect(() => run(sandbox, kind)).toThrow(
    expect.objectContaining({ code: "NOTHING_SUITABLE", status: 409 }) as unknown as Error,
  );
  sandbox.commit((tx) => completeEvent(tx, tx.events.get("evt")!));
  expect(() => run(sandbox, "v1.booking.created")).toThrow(DomainError);
  expect(() => run(sandbox, "v1.event.updated")).toThrow("there is no future ACTIVE event");
  run(sandbox, "v1.event.deleted");
  expect(() => run(sandbox, "v1.event.deleted")).toThrow("there is no event without active bookings");
});
