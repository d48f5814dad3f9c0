// What really causes each kind, that its body is what the specification says, and what sends nothing.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import document from "../../../src/contract/generated/openapi.json" with { type: "json" };
import { placeBooking } from "../../../src/engine/domain/booking/booking.ts";
import { cancelBooking } from "../../../src/engine/domain/booking/cancellation.ts";
import { checkIn, undoCheckIn, voidTicket } from "../../../src/engine/domain/booking/check-in.ts";
import { completeCheckout, dropCheckout } from "../../../src/engine/domain/booking/checkout.ts";
import { moveBooking } from "../../../src/engine/domain/booking/move-booking.ts";
import { updateBooking } from "../../../src/engine/domain/booking/update-booking.ts";
import {
  archiveExperience,
  createExperience,
  deleteExperience,
  updateExperience,
} from "../../../src/engine/domain/catalogue/experience.ts";
import { submitConsent } from "../../../src/engine/domain/company/consent.ts";
import { replaceSubscription } from "../../../src/engine/domain/company/subscription.ts";
import { updateEvent } from "../../../src/engine/domain/event/event.ts";
import { cancelEvent, completeEvent, deleteEvent } from "../../../src/engine/domain/event/event-end.ts";
import { lockEvent, unlockEvent } from "../../../src/engine/domain/event/exclusivity.ts";
import { EVENT_KINDS, type EventKind } from "../../../src/engine/domain/kernel/kinds.ts";
import type { Transaction } from "../../../src/engine/domain/kernel/transaction.ts";
import { recordAdjustment } from "../../../src/engine/domain/money/journal.ts";
import { attachDocument } from "../../../src/engine/domain/money/journal-entry.ts";
import { pay } from "../../../src/engine/domain/money/payment.ts";
import { kinds } from "../../../src/engine/webhooks/kinds.ts";
import { book, later, makeHouse, NOON, newEvent, subscribe, type TestSandbox } from "./kit.ts";

interface Schema {
  post: { requestBody: { content: { "application/json": { schema: object } } } };
}
const ajv = new Ajv2020({ strict: false });
(formats as unknown as { default: typeof formats.default }).default(ajv);
const webhooks = document.webhooks as unknown as Record<EventKind, Schema>;
const problemsOf = (kind: string, body: unknown) => {
  const { schema } = webhooks[kind as EventKind].post.requestBody.content["application/json"];
  return ajv.validate(schema, body) ? [] : ajv.errors;
};

const event = (tx: Transaction, id = "evt") => tx.events.get(id)!;
const BY_HAND = { checked_in_by: "usr", method: "MANUAL" } as const;
const firstTicket = (tx: Transaction) => tx.tickets.where("booking", newest(tx).id)[0]!;
const adjust = (tx: Transaction) =>
  recordAdjustment(tx, { type: "SETTLEMENT", direction: "DEBIT", amount: 5, currency: "DKK", references: {} });
const consent = (tx: Transaction) => submitConsent(tx, { full_name: "Bo", email: "bo@example.com" });
const checkout = (tx: Transaction) => {
  const customer = { customer_type: "PRIVATE" as const, name: "Bo", email: "bo@example.com" };
  return placeBooking(tx, event(tx), {
    event_id: "evt",
    customer,
    items: [{ type_id: "adult", item_type: "VARIANT", quantity: 1 }],
    checkout: true,
  });
};

const nothing = () => 0;
const grow = (tx: Transaction) =>
  updateBooking(tx, newest(tx), { items: [{ type_id: "adult", item_type: "VARIANT", quantity: 2 }] });

/** What is done before, what is done, and the kinds that it sends, in order and without `v1.`. The last column lists the
 * events of which v1.event.updated is sent under the assumption `capacity-kind=event-updated`. */
const causes: [
  what: string,
  before: (tx: Transaction) => unknown,
  work: (tx: Transaction) => unknown,
  kinds: string,
  updated?: string,
][] = [
  ["an event is created", nothing, (tx) => newEvent(tx, "new"), "event.created"],
  ["an event is changed", nothing, (tx) => updateEvent(tx, event(tx), { capacity: 5 }), "event.updated"],
  [
    "an event with a booking is cancelled",
    book,
    (tx) => cancelEvent(tx, event(tx), "none"),
    "event.cancelled booking.cancelled",
  ],
  ["an event completes", nothing, (tx) => completeEvent(tx, event(tx)), "event.completed"],
  ["an event is deleted", nothing, (tx) => deleteEvent(tx, event(tx)), "event.deleted"],
  [
    "an experience is created",
    nothing,
    (tx) => createExperience(tx, { name: "New", ticket_variants: [] }),
    "experience.created",
  ],
  [
    "an experience is changed",
    nothing,
    (tx) => updateExperience(tx, tx.experiences.get("exp")!, { name: "Other" }),
    "experience.updated",
  ],
  [
    "an experience is archived",
    nothing,
    (tx) => archiveExperience(tx, tx.experiences.get("exp")!),
    "experience.updated",
  ],
  [
    "an experience is deleted",
    nothing,
    (tx) => deleteExperience(tx, tx.experiences.get("exp")!),
    "event.deleted experience.deleted",
  ],
  ["two bookings are placed at once", nothing, (tx) => [book(tx), book(tx)], "booking.created booking.created", "evt"],
  ["a booking grows", book, grow, "booking.updated", "evt"],
  ["a booking is placed", nothing, book, "booking.created", "evt"],
  ["a booking is changed", book, (tx) => updateBooking(tx, newest(tx), { locale: "da" }), "booking.updated", ""],
  [
    "a booking is changed twice at once",
    book,
    (tx) => updateBooking(tx, updateBooking(tx, newest(tx), { locale: "da" }), { locale: "en" }),
    "booking.updated",
  ],
  [
    "a booking is cancelled",
    book,
    (tx) => cancelBooking(tx, newest(tx), { refund: "none" }),
    "booking.cancelled",
    "evt",
  ],
  [
    "a booking is moved",
    (tx) => [book(tx), newEvent(tx, "other")],
    (tx) => moveBooking(tx, newest(tx), event(tx, "other")),
    "booking.updated booking.created",
    "evt other",
  ],
  ["a ticket is checked in", book, (tx) => checkIn(tx, firstTicket(tx), BY_HAND), "booking.updated", ""],
  [
    "a check-in is undone",
    (tx) => [book(tx), checkIn(tx, firstTicket(tx), BY_HAND)],
    (tx) => undoCheckIn(tx, firstTicket(tx)),
    "booking.updated",
  ],
  ["a ticket is voided", book, (tx) => voidTicket(tx, firstTicket(tx)), "booking.updated", "evt"],
  ["a checkout begins", nothing, checkout, "", "evt"],
  ["a checkout is completed", checkout, (tx) => completeCheckout(tx, newest(tx), []), "booking.created", ""],
  ["a checkout is abandoned", checkout, (tx) => dropCheckout(tx, newest(tx), "ABANDONED"), "", "evt"],
  ["a checkout lapses", checkout, (tx) => dropCheckout(tx, newest(tx), "LAPSED"), "", "evt"],
  ["a journal entry is recorded", nothing, adjust, "journal_entry.created"],
  [
    "a document is attached",
    (tx) => [book(tx), pay(tx, [...tx.orders.walk("created")][0]!, {})],
    (tx) => attachDocument(tx, [...tx.entries.walk("occurred")][0]!),
    "journal_entry.document_attached",
  ],
  ["a consent is submitted", nothing, consent, "marketing_consent.created"],
  ["a consent is submitted for a known e-mail", consent, consent, "marketing_consent.created"],
  [
    "a consent is submitted twice at once",
    nothing,
    (tx) => [consent(tx), consent(tx)],
    "marketing_consent.created marketing_consent.created",
  ],
];

function newest(tx: Transaction) {
  return [...tx.bookings.walk("created")].at(-1)!;
}

function sentBy(sandbox: TestSandbox, work: (tx: Transaction) => unknown) {
  const before = sandbox.messages().length;
  sandbox.commit(work, "req-1");
  return sandbox.messages().slice(before);
}

describe("After", () => {
  it.each(causes)("%s, exactly its kinds are sent, as specified", (_, before, work, expected) => {
    const sandbox = makeHouse();
    sandbox.commit(before);
    const sent = sentBy(sandbox, work);
    expect(sent.map(({ kind }) => kind.slice(3)).join(" ")).toBe(expected);
    for (const message of sent) {
      expect(message).toMatchObject({
        created_at: NOON,
        caused_by: "req-1",
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      });
      const body = JSON.parse(message.body);
      expect(problemsOf(message.kind, body)).toEqual([]);
      expect(body).toMatchObject({
        type: message.kind,
        timestamp: "2030-06-01T12:00:00.000000000Z",
        payload: { host_id: "cmp-test" },
      });
      expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});

/** The events that v1.event.updated is sent of, and those that have another `updated_at`. */
function eventsReported(sandbox: TestSandbox, work: (tx: Transaction) => unknown) {
  const at = (tx: Transaction) => new Map([...tx.events.walk("start")].map(({ id, updated_at }) => [id, updated_at]));
  const before = sandbox.read(sandbox.own, at);
  sandbox.at(later(sandbox.now(sandbox.own), "PT1M"));
  const sent = sentBy(sandbox, work).filter(({ kind }) => kind === "v1.event.updated");
  const after = sandbox.read(sandbox.own, at);
  const touched = [...after].filter(([id, updated]) => before.has(id) && before.get(id) !== updated).map(([id]) => id);
  return { told: sent.map(({ body }) => JSON.parse(body).payload.event_id as string).sort(), touched: touched.sort() };
}

describe("v1.event.updated is sent, and updated_at of the event changes,", () => {
  const rows = causes.flatMap(([what, before, work, , updated]) =>
    updated === undefined ? [] : [[what, before, work, updated.split(" ").filter(Boolean)] as const],
  );

  it.each(rows)("when %s, under that assumption", (_, before, work, reported) => {
    const sandbox = makeHouse({ "capacity-kind": "event-updated" });
    sandbox.commit(before);
    expect(eventsReported(sandbox, work)).toEqual({ told: reported, touched: reported });
  });

  it.each(rows)("not when %s, otherwise", (_, before, work) => {
    const sandbox = makeHouse();
    sandbox.commit(before);
    expect(eventsReported(sandbox, work)).toEqual({ told: [], touched: [] });
  });

  it.each<[string, (tx: Transaction) => unknown]>([
    ["is cancelled", (tx) => cancelEvent(tx, event(tx), "none")],
    ["is completed", (tx) => completeEvent(tx, event(tx))],
  ])("not when the event itself %s with its bookings", (_, work) => {
    const sandbox = makeHouse({ "capacity-kind": "event-updated" });
    sandbox.commit((tx) => [book(tx), checkout(tx)]);
    expect(eventsReported(sandbox, work).told).toEqual([]);
  });

  it.each(["none", "event-updated"])("once when the booking that locked it ends (capacity-kind %s)", (assumed) => {
    const locked = () => {
      const sandbox = makeHouse({ "capacity-kind": assumed });
      sandbox.commit((tx) => newEvent(tx, "other"));
      sandbox.commit((tx) => lockEvent(tx, event(tx), book(tx)));
      return sandbox;
    };
    const freed = (work: (tx: Transaction) => unknown) => {
      const sandbox = locked();
      const { told } = eventsReported(sandbox, work);
      expect(sandbox.read(sandbox.own, (tx) => event(tx).locked_by)).toBeUndefined();
      return told;
    };
    const target = assumed === "none" ? [] : ["other"];
    expect(freed((tx) => unlockEvent(tx, event(tx)))).toEqual(["evt"]);
    expect(freed((tx) => cancelBooking(tx, newest(tx), { refund: "none" }))).toEqual(["evt"]);
    expect(freed((tx) => moveBooking(tx, newest(tx), event(tx, "other")))).toEqual(["evt", ...target]);
    expect(freed((tx) => cancelEvent(tx, event(tx), "none"))).toEqual([]);
  });
});

describe("An update that changes nothing", () => {
  const updates: [string, (tx: Transaction) => { updated_at?: string }, (tx: Transaction) => unknown, EventKind[]][] = [
    [
      "of an event",
      (tx) => event(tx),
      (tx) => updateEvent(tx, event(tx), { capacity: 100_000, visibility: "PUBLIC" }),
      ["v1.event.updated"],
    ],
    [
      "of an experience",
      (tx) => tx.experiences.get("exp")!,
      (tx) => updateExperience(tx, tx.experiences.get("exp")!, { name: "A tour" }),
      ["v1.experience.updated"],
    ],
    [
      "of a booking",
      newest,
      (tx) => {
        const { customer_type, name, email = "" } = newest(tx).customer;
        const items = newest(tx).items;
        return updateBooking(tx, newest(tx), { locale: "en", items, customer: { customer_type, name, email } });
      },
      ["v1.booking.updated"],
    ],
    [
      "of a subscription",
      (tx) => [...tx.subscriptions.walk("created")][0]!,
      (tx) => {
        const known = [...tx.subscriptions.walk("created")][0]!;
        const { url, event_types, state } = known;
        return replaceSubscription(tx, known, { state, event_types: [...event_types], url });
      },
      [],
    ],
  ];

  const updated = (
    assumed: Record<string, string>,
    read: (typeof updates)[0][1],
    work: (tx: Transaction) => unknown,
  ) => {
    const sandbox = makeHouse(assumed);
    subscribe(sandbox, "http://127.0.0.1:1/", ["v1.event.created"]);
    sandbox.commit((tx) => book(tx));
    sandbox.at(later(NOON, "PT1M"));
    const before = sandbox.read(sandbox.own, (tx) => ({ at: read(tx).updated_at, kept: sandbox.kept.length }));
    const sent = sentBy(sandbox, work).map(({ kind }) => kind);
    const moved = sandbox.read(sandbox.own, (tx) => read(tx).updated_at !== before.at);
    return { sent, moved, written: sandbox.kept.length > before.kept };
  };

  it.each(updates)("%s is not reported, and writes nothing", (_, read, work) => {
    expect(updated({}, read, work)).toEqual({ sent: [], moved: false, written: false });
  });

  it.each(updates)("%s is reported like any other under that assumption", (_, read, work, kinds) => {
    expect(updated({ "no-op-update": "told" }, read, work)).toEqual({ sent: kinds, moved: true, written: true });
  });
});

describe("The kinds", () => {
  it("are those of the specification, each caused above", () => {
    expect(Object.keys(kinds)).toEqual([...EVENT_KINDS]);
    expect(Object.keys(webhooks).sort()).toEqual([...EVENT_KINDS].sort());
    const caused = causes.flatMap(([, , , kinds]) => kinds.split(" ").filter(Boolean));
    expect(new Set(caused)).toEqual(new Set(EVENT_KINDS.map((kind) => kind.slice(3))));
  });

  it("are written in the commit of their change, or not at all", () => {
    const sandbox = makeHouse();
    sandbox.commit((tx) => book(tx));
    const [commit] = sandbox.kept.slice(-1);
    expect(commit!.map(([collection]) => collection)).toEqual(expect.arrayContaining(["bookings", "messages"]));
    const before = sandbox.kept.length;
    expect(() =>
      sandbox.commit((tx) => {
        book(tx);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(sandbox.kept).toHaveLength(before);
    expect(sandbox.messages()).toHaveLength(1);
  });
});
