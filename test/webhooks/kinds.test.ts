// What really causes each kind, that its body is what the specification says, and what sends nothing.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { placeBooking } from "../../src/domain/booking.ts";
import { cancelBooking } from "../../src/domain/cancellation.ts";
import { checkIn, undoCheckIn, voidTicket } from "../../src/domain/check-in.ts";
import { completeCheckout, dropCheckout } from "../../src/domain/checkout.ts";
import { submitConsent } from "../../src/domain/consent.ts";
import type { Desk } from "../../src/domain/desk.ts";
import { updateEvent } from "../../src/domain/event.ts";
import { cancelEvent, completeEvent, deleteEvent } from "../../src/domain/event-end.ts";
import { lockEvent, unlockEvent } from "../../src/domain/exclusivity.ts";
import {
  archiveExperience,
  createExperience,
  deleteExperience,
  updateExperience,
} from "../../src/domain/experience.ts";
import { recordAdjustment } from "../../src/domain/journal.ts";
import { attachDocument } from "../../src/domain/journal-entry.ts";
import { EVENT_KINDS, type EventKind } from "../../src/domain/kinds.ts";
import { moveBooking } from "../../src/domain/move-booking.ts";
import { pay } from "../../src/domain/payment.ts";
import { replaceSubscription } from "../../src/domain/subscription.ts";
import { updateBooking } from "../../src/domain/update-booking.ts";
import document from "../../src/generated/openapi.json" with { type: "json" };
import { kinds } from "../../src/webhooks/kinds/index.ts";
import { book, later, makeHouse, NOON, newEvent, subscribe, type TestHouse } from "./kit.ts";

interface Schema {
  post: { requestBody: { content: { "application/json": { schema: object } } } };
}
const ajv = new Ajv2020({ strict: false });
(formats as unknown as { default: typeof formats.default }).default(ajv);
const webhooks = document.webhooks as unknown as Record<EventKind, Schema>;
const faultsOf = (kind: string, body: unknown) => {
  const { schema } = webhooks[kind as EventKind].post.requestBody.content["application/json"];
  return ajv.validate(schema, body) ? [] : ajv.errors;
};

const event = (desk: Desk, id = "evt") => desk.events.get(id)!;
const BY_HAND = { checked_in_by: "usr", method: "MANUAL" } as const;
const firstTicket = (desk: Desk) => desk.tickets.where("booking", newest(desk).id)[0]!;
const adjust = (desk: Desk) =>
  recordAdjustment(desk, { type: "SETTLEMENT", direction: "DEBIT", amount: 5, currency: "DKK", references: {} });
const consent = (desk: Desk) => submitConsent(desk, { full_name: "Bo", email: "bo@example.com" });
const checkout = (desk: Desk) => {
  const customer = { customer_type: "PRIVATE" as const, name: "Bo", email: "bo@example.com" };
  return placeBooking(desk, event(desk), {
    event_id: "evt",
    customer,
    items: [{ type_id: "adult", item_type: "VARIANT", quantity: 1 }],
    checkout: true,
  });
};

/** What is done before, what is done, and the kinds that it sends, in order. */
const causes: [what: string, before: (desk: Desk) => unknown, work: (desk: Desk) => unknown, kinds: EventKind[]][] = [
  ["an event is created", () => 0, (desk) => newEvent(desk, "new"), ["v1.event.created"]],
  ["an event is changed", () => 0, (desk) => updateEvent(desk, event(desk), { capacity: 5 }), ["v1.event.updated"]],
  [
    "an event with a booking is cancelled",
    (desk) => book(desk),
    (desk) => cancelEvent(desk, event(desk), "none"),
    ["v1.event.cancelled", "v1.booking.cancelled"],
  ],
  ["an event completes", () => 0, (desk) => completeEvent(desk, event(desk)), ["v1.event.completed"]],
  ["an event is deleted", () => 0, (desk) => deleteEvent(desk, event(desk)), ["v1.event.deleted"]],
  [
    "an experience is created",
    () => 0,
    (desk) => createExperience(desk, { name: "New", ticket_variants: [] }),
    ["v1.experience.created"],
  ],
  [
    "an experience is changed",
    () => 0,
    (desk) => updateExperience(desk, desk.experiences.get("exp")!, { name: "Other" }),
    ["v1.experience.updated"],
  ],
  [
    "an experience is archived",
    () => 0,
    (desk) => archiveExperience(desk, desk.experiences.get("exp")!),
    ["v1.experience.updated"],
  ],
  [
    "an experience is deleted",
    () => 0,
    (desk) => deleteExperience(desk, desk.experiences.get("exp")!),
    ["v1.event.deleted", "v1.experience.deleted"],
  ],
  ["a booking is placed", () => 0, (desk) => book(desk), ["v1.booking.created"]],
  [
    "a booking is changed",
    (desk) => book(desk),
    (desk) => updateBooking(desk, newest(desk), { locale: "da" }),
    ["v1.booking.updated"],
  ],
  [
    "a booking is changed twice at once",
    (desk) => book(desk),
    (desk) => updateBooking(desk, updateBooking(desk, newest(desk), { locale: "da" }), { locale: "en" }),
    ["v1.booking.updated"],
  ],
  [
    "a booking is cancelled",
    (desk) => book(desk),
    (desk) => cancelBooking(desk, newest(desk), { refund: "none" }),
    ["v1.booking.cancelled"],
  ],
  [
    "a booking is moved",
    (desk) => [book(desk), newEvent(desk, "other")],
    (desk) => moveBooking(desk, newest(desk), event(desk, "other")),
    ["v1.booking.updated", "v1.booking.created"],
  ],
  [
    "a ticket is checked in",
    (desk) => book(desk),
    (desk) => checkIn(desk, firstTicket(desk), BY_HAND),
    ["v1.booking.updated"],
  ],
  [
    "a check-in is undone",
    (desk) => [book(desk), checkIn(desk, firstTicket(desk), BY_HAND)],
    (desk) => undoCheckIn(desk, firstTicket(desk)),
    ["v1.booking.updated"],
  ],
  ["a ticket is voided", (desk) => book(desk), (desk) => voidTicket(desk, firstTicket(desk)), ["v1.booking.updated"]],
  ["a checkout begins", () => 0, checkout, []],
  ["a checkout is completed", checkout, (desk) => completeCheckout(desk, newest(desk), []), ["v1.booking.created"]],
  ["a checkout is abandoned", checkout, (desk) => dropCheckout(desk, newest(desk), "ABANDONED"), []],
  ["a checkout lapses", checkout, (desk) => dropCheckout(desk, newest(desk), "LAPSED"), []],
  ["a journal entry is recorded", () => 0, adjust, ["v1.journal_entry.created"]],
  [
    "a document is attached",
    (desk) => [book(desk), pay(desk, [...desk.orders.walk("created")][0]!, {})],
    (desk) => attachDocument(desk, [...desk.entries.walk("occurred")][0]!),
    ["v1.journal_entry.document_attached"],
  ],
  ["a consent is submitted", () => 0, consent, ["v1.marketing_consent.created"]],
  ["a consent is submitted for a known e-mail", consent, consent, ["v1.marketing_consent.created"]],
  [
    "a consent is submitted twice at once",
    () => 0,
    (desk) => [consent(desk), consent(desk)],
    ["v1.marketing_consent.created", "v1.marketing_consent.created"],
  ],
];

function newest(desk: Desk) {
  return [...desk.bookings.walk("created")].at(-1)!;
}

function sentBy(house: TestHouse, work: (desk: Desk) => unknown) {
  const before = house.messages().length;
  house.commit(work, "req-1");
  return house.messages().slice(before);
}

describe("When", () => {
  it.each(causes)("%s, exactly its kinds are sent, as the specification says", (_, before, work, expected) => {
    const house = makeHouse();
    house.commit(before);
    const sent = sentBy(house, work);
    expect(sent.map(({ kind }) => kind)).toEqual(expected);
    for (const message of sent) {
      expect(message).toMatchObject({
        created_at: NOON,
        caused_by: "req-1",
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      });
      const body = JSON.parse(message.body);
      expect(faultsOf(message.kind, body)).toEqual([]);
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
function eventsTold(house: TestHouse, work: (desk: Desk) => unknown) {
  const at = (desk: Desk) => new Map([...desk.events.walk("start")].map(({ id, updated_at }) => [id, updated_at]));
  const before = house.look(house.own, at);
  house.at(later(house.now(house.own), "PT1M"));
  const sent = sentBy(house, work).filter(({ kind }) => kind === "v1.event.updated");
  const after = house.look(house.own, at);
  const touched = [...after].filter(([id, updated]) => before.has(id) && before.get(id) !== updated).map(([id]) => id);
  return { told: sent.map(({ body }) => JSON.parse(body).payload.event_id as string).sort(), touched: touched.sort() };
}

describe("Of an event v1.event.updated is sent, and its updated_at moves with it,", () => {
  const grow = (desk: Desk) =>
    updateBooking(desk, newest(desk), { items: [{ type_id: "adult", item_type: "VARIANT", quantity: 2 }] });
  const nothing = () => 0;
  type Row = [string, (desk: Desk) => unknown, (desk: Desk) => unknown, string[]];
  const rows: Row[] = [
    ["a booking is placed", nothing, book, ["evt"]],
    ["two bookings are placed at once", nothing, (desk) => [book(desk), book(desk)], ["evt"]],
    ["a booking grows", book, grow, ["evt"]],
    ["a booking is cancelled", book, (desk) => cancelBooking(desk, newest(desk), { refund: "none" }), ["evt"]],
    [
      "a booking is moved",
      (desk) => [book(desk), newEvent(desk, "other")],
      (desk) => moveBooking(desk, newest(desk), event(desk, "other")),
      ["evt", "other"],
    ],
    ["a ticket is voided", book, (desk) => voidTicket(desk, firstTicket(desk)), ["evt"]],
    ["a checkout begins", nothing, checkout, ["evt"]],
    ["a checkout is abandoned", checkout, (desk) => dropCheckout(desk, newest(desk), "ABANDONED"), ["evt"]],
    ["a checkout lapses", checkout, (desk) => dropCheckout(desk, newest(desk), "LAPSED"), ["evt"]],
    ["a checkout is completed", checkout, (desk) => completeCheckout(desk, newest(desk), []), []],
    ["a booking is changed", book, (desk) => updateBooking(desk, newest(desk), { locale: "da" }), []],
    ["a ticket is checked in", book, (desk) => checkIn(desk, firstTicket(desk), BY_HAND), []],
  ];

  it.each(rows)("when %s, where that is assumed", (_, before, work, told) => {
    const house = makeHouse({ "capacity-kind": "event-updated" });
    house.commit(before);
    expect(eventsTold(house, work)).toEqual({ told, touched: told });
  });

  it.each(rows)("not when %s, otherwise", (_, before, work) => {
    const house = makeHouse();
    house.commit(before);
    expect(eventsTold(house, work)).toEqual({ told: [], touched: [] });
  });

  it.each<[string, (desk: Desk) => unknown]>([
    ["is cancelled", (desk) => cancelEvent(desk, event(desk), "none")],
    ["is completed", (desk) => completeEvent(desk, event(desk))],
  ])("not when the event itself %s with its bookings", (_, work) => {
    const house = makeHouse({ "capacity-kind": "event-updated" });
    house.commit((desk) => [book(desk), checkout(desk)]);
    expect(eventsTold(house, work).told).toEqual([]);
  });

  it.each(["none", "event-updated"])("once when the booking that held it ends (capacity-kind %s)", (assumed) => {
    const locked = () => {
      const house = makeHouse({ "capacity-kind": assumed });
      house.commit((desk) => newEvent(desk, "other"));
      house.commit((desk) => lockEvent(desk, event(desk), book(desk)));
      return house;
    };
    const freed = (work: (desk: Desk) => unknown) => {
      const house = locked();
      const { told } = eventsTold(house, work);
      expect(house.look(house.own, (desk) => event(desk).locked_by)).toBeUndefined();
      return told;
    };
    const target = assumed === "none" ? [] : ["other"];
    expect(freed((desk) => unlockEvent(desk, event(desk)))).toEqual(["evt"]);
    expect(freed((desk) => cancelBooking(desk, newest(desk), { refund: "none" }))).toEqual(["evt"]);
    expect(freed((desk) => moveBooking(desk, newest(desk), event(desk, "other")))).toEqual(["evt", ...target]);
    expect(freed((desk) => cancelEvent(desk, event(desk), "none"))).toEqual([]);
  });
});

describe("An update that changes nothing", () => {
  const updates: [string, (desk: Desk) => { updated_at?: string }, (desk: Desk) => unknown, EventKind[]][] = [
    [
      "of an event",
      (desk) => event(desk),
      (desk) => updateEvent(desk, event(desk), { capacity: 100_000, visibility: "PUBLIC" }),
      ["v1.event.updated"],
    ],
    [
      "of an experience",
      (desk) => desk.experiences.get("exp")!,
      (desk) => updateExperience(desk, desk.experiences.get("exp")!, { name: "A tour" }),
      ["v1.experience.updated"],
    ],
    [
      "of a booking",
      newest,
      (desk) => {
        const { customer_type, name, email = "" } = newest(desk).customer;
        const items = newest(desk).items;
        return updateBooking(desk, newest(desk), { locale: "en", items, customer: { customer_type, name, email } });
      },
      ["v1.booking.updated"],
    ],
    [
      "of a subscription",
      (desk) => [...desk.subscriptions.walk("created")][0]!,
      (desk) => {
        const known = [...desk.subscriptions.walk("created")][0]!;
        const { url, event_types, state } = known;
        return replaceSubscription(desk, known, { state, event_types: [...event_types], url });
      },
      [],
    ],
  ];

  const updated = (assumed: Record<string, string>, read: (typeof updates)[0][1], work: (desk: Desk) => unknown) => {
    const house = makeHouse(assumed);
    subscribe(house, "http://127.0.0.1:1/", ["v1.event.created"]);
    house.commit((desk) => book(desk));
    house.at(later(NOON, "PT1M"));
    const before = house.look(house.own, (desk) => ({ at: read(desk).updated_at, kept: house.kept.length }));
    const sent = sentBy(house, work).map(({ kind }) => kind);
    const moved = house.look(house.own, (desk) => read(desk).updated_at !== before.at);
    return { sent, moved, written: house.kept.length > before.kept };
  };

  it.each(updates)("%s is not told, and writes nothing", (_, read, work) => {
    expect(updated({}, read, work)).toEqual({ sent: [], moved: false, written: false });
  });

  it.each(updates)("%s is told like any other where that is assumed", (_, read, work, kinds) => {
    expect(updated({ "no-op-update": "told" }, read, work)).toEqual({ sent: kinds, moved: true, written: true });
  });
});

describe("The kinds", () => {
  it("are those of the specification, each caused above", () => {
    expect(kinds.map(({ kind }) => kind)).toEqual([...EVENT_KINDS]);
    expect(Object.keys(webhooks).sort()).toEqual([...EVENT_KINDS].sort());
    expect(new Set(causes.flatMap((cause) => cause[3]))).toEqual(new Set(EVENT_KINDS));
  });

  it("are written in the commit of their change, or not at all", () => {
    const house = makeHouse();
    house.commit((desk) => book(desk));
    const [commit] = house.kept.slice(-1);
    expect(commit!.map(([shelf]) => shelf)).toEqual(expect.arrayContaining(["bookings", "messages"]));
    const before = house.kept.length;
    expect(() =>
      house.commit((desk) => {
        book(desk);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(house.kept).toHaveLength(before);
    expect(house.messages()).toHaveLength(1);
  });
});
