// What is so in the sandbox, in the words of a probe, and what the log says of each record: who made it, and that it changed in the soak.

import type { Control, Schemas } from "../../client/control.ts";
import { type Entry, isRequest, type RequestEntry } from "../observed.ts";
import type { CollectionName } from "./company.ts";
import { everyRecord } from "./company.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What a probe may print: the kind by its name in the service → where its records are, and how facts about them begin. */
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

/** A checkout that came to nothing has no message. */
const UNTOLD = new Set(["booking.started", "booking.lapsed", "booking.abandoned"]);

/** Which records a program is held to: those that it made, those that were made or changed in the soak, or all. */
export type Scope = "own" | "changed" | "all";

/** By kind the records by their ids. */
export type Truth = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

/** Read from the stored records, whatever assumptions change in answers. */
export async function truthOf(control: Control, kinds: readonly string[]): Promise<Truth> {
  const found = new Map<string, ReadonlyMap<string, Fields>>();
  for (const kind of kinds) {
    const { collection } = KINDS[kind] as { collection: CollectionName };
    const records = await everyRecord(control, collection);
    found.set(kind, new Map(records.map((record) => [record.id, record])));
  }
  const bookings = found.get("bookings");
  if (!bookings) return found;
  const orders = new Map((await everyRecord(control, "orders")).map((order) => [order.id, order as Fields]));
  return found.set("bookings", new Map([...bookings].map(([id, each]) => [id, withOrder(each, orders)])));
}

/** The service shows the money of a booking in its order; a program keeps the two together. */
function withOrder(booking: Fields, orders: ReadonlyMap<string, Fields>): Fields {
  const order = orders.get(String(booking.order_id));
  if (!order) return booking;
  const { totals, payment_status } = order as { totals: { amount: unknown }; payment_status: unknown };
  return { ...booking, total: totals.amount, payment_status };
}

/** The records whose last change has no message. */
export function unsentIn(entries: readonly Entry[]): Set<string> {
  const found = new Set<string>();
  for (const { fact, id } of entries.flatMap(factsOf)) UNTOLD.has(fact) ? found.add(id) : found.delete(id);
  return found;
}

/** The entry of the log that changed each record last, by its id. */
export function changesIn(entries: readonly Entry[], fact: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries)
    for (const each of factsOf(entry)) if (each.fact.startsWith(`${fact}.`)) found.set(each.id, entry);
  return found;
}

/** The messages that were sent about a record, by their ids. */
export const messagesAbout = (entries: readonly Entry[], id: string): string[] =>
  entries.flatMap((entry) =>
    "messages" in entry && factsOf(entry).some((fact) => fact.id === id) ? entry.messages : [],
  );

function factsOf(entry: Entry): readonly Schemas["Fact"][] {
  if (entry.kind === "request" || entry.kind === "act") return entry.facts;
  return entry.kind === "clock" ? (entry.receipt ?? []).flatMap(({ facts }) => facts) : [];
}

/** The ids that the program must know. */
export function expectedIn(
  kind: string,
  scope: Scope,
  records: ReadonlyMap<string, Fields>,
  entries: readonly Entry[],
) {
  const fact = KINDS[kind]?.fact ?? kind;
  const linesOf = (of: readonly Entry[]) =>
    of.flatMap((entry) =>
      factsOf(entry).flatMap((each) => (each.fact.startsWith(`${fact}.`) && !UNTOLD.has(each.fact) ? [each.id] : [])),
    );
  // A record that was removed meanwhile can't be expected.
  if (scope === "changed") return new Set(linesOf(entries).filter((id) => records.has(id)));
  if (scope === "all")
    return new Set([...records].filter(([, { status }]) => status !== "PROCESSING").map(([id]) => id));
  const calls = entries.filter((entry): entry is RequestEntry => isRequest(entry) && entry.method !== "GET");
  const own = new Set(linesOf(calls));
  // A booking that was moved goes on under another id, with the same order.
  const orders = new Set([...own].map((id) => records.get(id)?.order_id).filter((id) => id !== undefined));
  for (const [id, { order_id }] of records) if (order_id !== undefined && orders.has(order_id)) own.add(id);
  return own;
}
