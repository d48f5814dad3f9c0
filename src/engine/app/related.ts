// The records that name a record, or are about it: of a booking its tickets, its entries, and the messages sent about it with their
// deliveries; of an event its bookings. An index finds them; messages, which have none, are searched for among the newest.

import type { Schemas } from "../../contract/schemas.ts";
import { ordered } from "../domain/kernel/index-keys.ts";
import { type CollectionName, getHead, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";

type Related = Schemas["RelatedRecords"];
/** `messages`: those about the record. */
type RelatedFinder = (tx: Transaction, record: StoredRecord, messages: readonly Message[]) => readonly object[];

/** Of each kind. */
const MAX_LISTED = 10;
/** The number of the newest messages that are searched for those about a record. */
const MAX_SEARCHED = 1000;

const listEntries: RelatedFinder = (tx, { order_id }) =>
  typeof order_id === "string" ? tx.entries.where("order", order_id) : [];
const listMessages: RelatedFinder = (_tx, _record, messages) => messages;
const listDeliveries: RelatedFinder = (tx, _record, messages) =>
  messages.flatMap(({ id }) => tx.deliveries.where("message", id));

const RELATED: Readonly<Partial<Record<CollectionName, Readonly<Partial<Record<CollectionName, RelatedFinder>>>>>> = {
  bookings: {
    tickets: (tx, { id }) => tx.tickets.where("booking", id),
    entries: listEntries,
    messages: listMessages,
    deliveries: listDeliveries,
  },
  orders: { entries: (tx, { id }) => tx.entries.where("order", id), messages: listMessages },
  giftCards: { entries: listEntries, messages: listMessages, deliveries: listDeliveries },
  events: { bookings: (tx, { id }) => tx.bookings.where("event", id), messages: listMessages },
  experiences: { events: (tx, { id }) => tx.events.where("experience", id) },
  messages: { deliveries: (tx, { id }) => tx.deliveries.where("message", id) },
  subscriptions: { deliveries: (tx, { id }) => tx.deliveries.where("subscription", id) },
};

/** Of each kind how many there are, and the newest of them. */
export function listRelated(tx: Transaction, name: CollectionName, record: StoredRecord): Related[] {
  const kinds = Object.entries(RELATED[name] ?? {}) as [CollectionName, RelatedFinder][];
  const messages = kinds.length === 0 ? [] : findMessages(tx, record.id);
  return kinds.flatMap(([collection, find]) => {
    const all = find(tx, record, messages) as readonly StoredRecord[];
    const newest = all.toSorted(compareAge).reverse().slice(0, MAX_LISTED);
    const items = newest.map((each) => toRow(tx, collection, each));
    return items.length === 0 ? [] : [{ collection, count: all.length, items }];
  });
}

/** The ids in the body of a message say what it is about. */
function findMessages(tx: Transaction, id: string): Message[] {
  const newest = tx.messages.walk("created", { descending: true })[Symbol.iterator]();
  const searched: Message[] = [];
  for (let next = newest.next(); !next.done && searched.length < MAX_SEARCHED; next = newest.next())
    searched.push(next.value);
  // Oldest first, as an index returns records.
  return searched.filter(({ body }) => body.includes(`"${id}"`)).reverse();
}

function compareAge(one: StoredRecord, other: StoredRecord): number {
  const [a, b] = [readAge(one), readAge(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A delivery has only its number. */
function readAge({ created_at, occurred_at, place }: StoredRecord): string {
  return String(created_at ?? occurred_at ?? (place === undefined ? "" : ordered(Number(place))));
}

function toRow(tx: Transaction, collection: CollectionName, record: StoredRecord): Related["items"][number] {
  const { title, timezone, state } = getHead(tx, collection, redactRecord(record));
  return { collection, id: record.id, title, ...(timezone ? { timezone } : {}), ...(state ? { state } : {}) };
}
