// A bare world in memory, without HTTP: a company, a place, an experience with mixed VAT, limits, a shared resource and a fee,
// and three events of it. Acts are performed as the control surface performs them, but their input is not checked.
import type { ActId } from "../src/engine/acts/act.ts";
import { acts } from "../src/engine/acts/index.ts";
import { createExperience } from "../src/engine/domain/catalogue/experience.ts";
import type { ExperienceInput } from "../src/engine/domain/catalogue/experience-input.ts";
import { addLocation } from "../src/engine/domain/catalogue/location.ts";
import { createEvent } from "../src/engine/domain/event/event.ts";
import { DomainError } from "../src/engine/domain/kernel/domain-error.ts";
import type { Fact } from "../src/engine/domain/kernel/facts.ts";
import type {
  Booking,
  GiftCard,
  JournalEntry,
  Order,
  ScheduledEvent,
  Ticket,
} from "../src/engine/domain/kernel/records.ts";
import type { Transaction } from "../src/engine/domain/kernel/transaction.ts";
import { price } from "../src/engine/domain/money/money.ts";
import { findDue, settle } from "../src/engine/time/due.ts";
import { type Collections, copyCollections } from "../src/engine/world/state/schema.ts";
import { makeWorld } from "../src/engine/world/state/world.ts";

export const START = "2030-06-01T09:00:00.000Z";

export const TOUR: ExperienceInput = {
  id: "exp-tour",
  name: { da: "Havnetur", en: "Harbour tour" },
  location_ids: ["loc-pier"],
  ticket_variants: [
    {
      id: "var-adult",
      name: { da: "Voksen", en: "Adult" },
      price: price(24900, "DKK"),
      vat_rate: "0.25",
      add_on_variants: [{ id: "add-lunch", name: "Frokost", price: price(9950, "DKK"), vat_rate: "0.12", limit: 5 }],
    },
    {
      id: "var-boat",
      name: "Båd",
      price: price(59999, "DKK"),
      vat_rate: "0.12",
      seats: 3,
      limit: 2,
      resources: [{ resource_id: "res-kayak", quantity: 2 }],
      add_on_variants: [
        { id: "add-photo", name: "Foto", price: price(3333, "DKK"), vat_rate: "0" },
        { id: "add-lunch", name: "Frokost", price: price(9950, "DKK"), vat_rate: "0.12", limit: 5 },
      ],
    },
  ],
  information_requests: [
    { id: "ask-hotel", type: "TEXT", required: false, scope: "BOOKING", label: "Hotel?" },
    { id: "ask-shoes", type: "TEXT", required: false, scope: "TICKET", label: { da: "Skostørrelse?" } },
  ],
  opening_rules: [{ weekdays: [1, 2, 3, 4, 5, 6, 7], from: "06:00", to: "08:00", duration: "PT1H", capacity: 4 }],
  booking_fee: { price: price(1501, "DKK"), vat_rate: "0.25" },
};

const [NOON, LATER] = ["2030-06-02T12:00:00", "2030-06-02T14:00:00"];

function furnish(tx: Transaction): void {
  const user = { user_id: "usr-host", email: "host@example.com" };
  const home = { company_id: "cmp-1", name: "Havnefronten", languages: ["da", "en"], currency: "DKK" };
  tx.company.put({ id: "company", ...user, ...home });
  tx.identity.put({
    id: "identity",
    seed: "tests",
    fixture: "tests",
    cursor_key: "k",
    assumptions: {},
    origin: { fixture: "tests" },
    made_of: "",
  });
  tx.resources.put({ id: "res-kayak", name: "Kayaks", total: 6 });
  addLocation(tx, { id: "loc-pier", timezone: "Europe/Copenhagen" });
  createExperience(tx, TOUR);
  const times = { start_time: NOON, end_time: LATER };
  const event = { experience_id: "exp-tour", capacity: 10, sessions: [times] };
  createEvent(tx, { ...event, id: "evt-noon" });
  createEvent(tx, { ...event, id: "evt-beside", sessions: [{ ...times, start_time: "2030-06-02T13:00:00" }] });
  const nextDay = { start_time: "2030-06-03T12:00:00", end_time: "2030-06-03T14:00:00" };
  createEvent(tx, { ...event, id: "evt-late", sessions: [nextDay] });
}

let furnished: Collections | undefined;

// biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
type Result = any;

export interface TestWorld {
  now: string;
  collections: Collections;
  /** The facts of the last act. */
  facts: readonly Fact[];
  act(id: ActId, input: object): Result;
  /** The code with which an act is refused; `done` when it is not. */
  refusal(id: ActId, input: object): string;
  /** Moves the clock, settling what falls due on the way. */
  advance(until: string): void;
  change<T>(work: (tx: Transaction) => T): T;
  booking(id: string): Booking;
  order(id: string): Order;
  event(id: string): ScheduledEvent;
  card(id: string): GiftCard;
  tickets(booking: string): Ticket[];
  entries(): JournalEntry[];
}

export function worldForTests(assumptions: Record<string, string> = {}): TestWorld {
  const surroundings = {
    assumes: (id: string) => assumptions[id] ?? "",
    address: (path: string) => `http://x/${path}`,
  };
  const hooks = { ...surroundings, append() {} };
  if (!furnished) {
    const model = makeWorld("model", { ...hooks, assumes: () => "" });
    model.transact(START, furnish);
    furnished = model.copy();
  }
  const collections = copyCollections(furnished);
  const world = makeWorld("test", hooks, collections);
  let keys = 0;
  const tools = { newCredentials: () => ({ id: `client-${++keys}`, secret: `secret-${keys}` }) };
  const got = <R>(record: R | undefined): R => record ?? expectedToBeThere();
  const made: TestWorld = {
    now: START,
    collections,
    facts: [],
    act(id, input) {
      const wanted = got(acts.find((each) => each.id === id));
      const { result, facts } = world.transact(made.now, (tx) => wanted.perform(tx, input as never, tools));
      made.facts = facts;
      return result;
    },
    refusal(id, input) {
      try {
        made.act(id, input);
        return "done";
      } catch (reason) {
        if (reason instanceof DomainError) return reason.code;
        throw reason;
      }
    },
    advance(until) {
      for (;;) {
        const due = world.read(made.now, findDue);
        if (!due || due.at > until) break;
        made.now = due.at > made.now ? due.at : made.now;
        world.transact(made.now, (tx) => settle(tx, due));
      }
      made.now = until > made.now ? until : made.now;
    },
    change: (work) => world.transact(made.now, work).result,
    booking: (id) => got(collections.bookings.get(id)),
    order: (id) => got(collections.orders.get(id)),
    event: (id) => got(collections.events.get(id)),
    card: (id) => got(collections.giftCards.get(id)),
    tickets: (id) => collections.tickets.where("booking", id).sort((a, b) => a.place - b.place),
    entries: () => [...collections.entries.all()].sort((a, b) => Number(a.number) - Number(b.number)),
  };
  return made;
}

function expectedToBeThere(): never {
  throw new Error("the test names something that is not there");
}

export const ANNA = { customer_type: "PRIVATE" as const, name: "Anna Holm", email: "anna@example.com" };

export const item = (type_id: string, quantity = 1) =>
  ({ type_id, item_type: type_id.startsWith("add-") ? "ADDON" : "VARIANT", quantity }) as const;

/** A booking by the host, paid in full unless payments are given. */
export function book(world: TestWorld, more: object = {}): Result {
  const byDefault = { event_id: "evt-noon", customer: ANNA, items: [item("var-adult", 2)], payments: [{}] };
  return world.act("bookAsHost", { ...byDefault, ...more });
}
