// Lists the records that name a record or are about it, such as the tickets, entries, messages and deliveries of a
// booking. Indexes find them. Messages have no such index, so the newest ones are searched.

import type { Schemas } from "../../contract/schemas.ts";
import { toSortable } from "../domain/kernel/index-keys.ts";
import { type CollectionName, getHead, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";

type Related = Schemas["RelatedRecords"];
/** `messages`: the messages about the record. */
type RelatedFinder = (tx: Transaction, record: StoredRecord, messages: readonly Message[]) => readonly object[];

/** The number of records that are listed of each kind. */
const MAX_LISTED = 10;
/** The number of the newest messages that are searched. */
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

/** Lists the number of related records of each kind, and the newest of them. */
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

/** Finds the messages whose bodies contain the id. */
function findMessages(tx: Transaction, id: string): Message[] {
  const found: Message[] = [];
  let searched = 0;
  for (const message of tx.messages.walk("created", { descending: true })) {
    if (searched++ === MAX_SEARCHED) break;
    // The order is oldest first, as an index returns records.
    if (message.body.includes(`"${id}"`)) found.unshift(message);
  }
  return found;
}

function compareAge(one: StoredRecord, other: StoredRecord): number {
  const [a, b] = [readAge(one), readAge(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a key that sorts by age. A delivery has no time, only a number. */
function readAge({ created_at, occurred_at, place }: StoredRecord): string {
  return String(created_at ?? occurred_at ?? (place === undefined ? "" : toSortable(Number(place))));
}

function toRow(tx: Transaction, collection: CollectionName, record: StoredRecord): Related["items"][number] {
  const { title, timezone, state } = getHead(tx, collection, redactRecord(record));
  return { collection, id: record.id, title, ...(timezone ? { timezone } : {}), ...(state ? { state } : {}) };
}
