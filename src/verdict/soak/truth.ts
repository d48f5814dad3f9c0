// Reads the sandbox's records in the form in which a probe prints them, and finds in the log which records the program
// must know.

import type { Control, Schemas } from "../../client/control.ts";
import { type Entry, isRequest, type RequestEntry } from "../observed.ts";
import { type CollectionName, readAllRecords } from "./company.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The kinds that a probe may print, each with the collection that stores it and the prefix of the facts about it. */
export const KINDS: Readonly<Record<string, { collection: CollectionName; fact: string }>> = {
  bookings: { collection: "bookings", fact: "booking" },
  orders: { collection: "orders", fact: "order" },
  tickets: { collection: "tickets", fact: "ticket" },
  events: { collection: "events", fact: "event" },
  experiences: { collection: "experiences", fact: "experience" },
  gift_cards: { collection: "giftCards", fact: "gift_card" },
  locations: { collection: "locations", fact: "location" },
  journal_entries: { collection: "entries", fact: "journal_entry" },
  marketing_consents: { collection: "consents", fact: "marketing_consent" },
};

/** The service sends no message about a checkout that is not completed. */
const UNREPORTED_FACTS = new Set(["booking.started", "booking.lapsed", "booking.abandoned"]);

/** The records that a program must know: those that it created, those that the soak created or changed, or all. */
export type Scope = "own" | "changed" | "all";

/** The records by kind and id. */
export type Truth = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

/** Reads the stored records, because assumptions may change responses. */
export async function readTruth(control: Control, kinds: readonly string[]): Promise<Truth> {
  const found = new Map<string, ReadonlyMap<string, Fields>>();
  for (const kind of kinds) {
    const records = await readAllRecords(control, KINDS[kind]?.collection as CollectionName);
    found.set(kind, new Map(records.map((record) => [record.id, record])));
  }
  const bookings = found.get("bookings");
  if (!bookings) return found;
  const orders = new Map((await readAllRecords(control, "orders")).map((order) => [order.id, order as Fields]));
  return found.set("bookings", new Map([...bookings].map(([id, each]) => [id, withOrder(each, orders)])));
}

/** The service keeps the total of a booking in its order, but programs usually store both together. */
function withOrder(booking: Fields, orders: ReadonlyMap<string, Fields>): Fields {
  const order = orders.get(String(booking.order_id));
  if (!order) return booking;
  const { totals, payment_status } = order as { totals: { amount: unknown }; payment_status: unknown };
  return { ...booking, total: totals.amount, payment_status };
}

/** Finds the records whose last change sent no message. */
export function findUnreported(entries: readonly Entry[]): Set<string> {
  const found = new Set<string>();
  for (const { fact, id } of entries.flatMap(listFacts)) UNREPORTED_FACTS.has(fact) ? found.add(id) : found.delete(id);
  return found;
}

/** Finds the log entry with the last change of each record, by the id of the record. */
export function findLastChanges(entries: readonly Entry[], fact: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries)
    for (const each of listFacts(entry)) if (each.fact.startsWith(`${fact}.`)) found.set(each.id, entry);
  return found;
}

/** Lists the ids of the messages about a record. */
export const listMessageIds = (entries: readonly Entry[], id: string): string[] =>
  entries.flatMap((entry) =>
    "messages" in entry && listFacts(entry).some((fact) => fact.id === id) ? entry.messages : [],
  );

function listFacts(entry: Entry): readonly Schemas["Fact"][] {
  if (entry.kind === "request" || entry.kind === "act") return entry.facts;
  return entry.kind === "clock" ? (entry.receipt ?? []).flatMap(({ facts }) => facts) : [];
}

/** Lists the ids that the program must know. */
export function listExpectedIds(
  kind: string,
  scope: Scope,
  records: ReadonlyMap<string, Fields>,
  entries: readonly Entry[],
) {
  const fact = KINDS[kind]?.fact ?? kind;
  const listChangedIds = (of: readonly Entry[]) =>
    of
      .flatMap(listFacts)
      .filter(({ fact: name }) => name.startsWith(`${fact}.`) && !UNREPORTED_FACTS.has(name))
      .map(({ id }) => id);
  // A record that was deleted can't be expected.
  if (scope === "changed") return new Set(listChangedIds(entries).filter((id) => records.has(id)));
  if (scope === "all")
    return new Set([...records].filter(([, { status }]) => status !== "PROCESSING").map(([id]) => id));
  const calls = entries.filter((entry): entry is RequestEntry => isRequest(entry) && entry.method !== "GET");
  const own = new Set(listChangedIds(calls));
  // A moved booking has a new id and the same order.
  const orders = new Set([...own].map((id) => records.get(id)?.order_id).filter((id) => id !== undefined));
  for (const [id, { order_id }] of records) if (order_id !== undefined && orders.has(order_id)) own.add(id);
  return own;
}
