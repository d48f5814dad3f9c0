// The records from whose side a record is named, or that are about it: of a booking its tickets, its entries, and the messages sent about
// it with their deliveries; of an event its bookings. Where an index finds them; messages, which have none, among the newest.

import type { Schemas } from "../../contract/schemas.ts";
import { type CollectionName, headOf, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redacted } from "./redacted.ts";

type Related = Schemas["RelatedRecords"];
/** `about`: the messages about the record, looked for once however many kinds ask. */
type FoundIn = (tx: Transaction, record: StoredRecord, about: () => readonly Message[]) => readonly object[];

/** So many of each kind are listed. */
const MOST_LISTED = 10;
/** So many of the newest messages are looked through for those about a record. */
const MOST_LOOKED_AT = 1000;

const entriesOfOrder: FoundIn = (tx, { order_id }) =>
  typeof order_id === "string" ? tx.entries.where("order", order_id) : [];

/** Whether it is about a record is said by the ids in its body. */
function messagesAbout(tx: Transaction, { id }: StoredRecord): readonly Message[] {
  const found: Message[] = [];
  let looked = 0;
  for (const message of tx.messages.walk("created", { descending: true })) {
    if (looked++ === MOST_LOOKED_AT) break;
    if (message.body.includes(`"${id}"`)) found.unshift(message);
  }
  return found;
}

const messages: FoundIn = (_tx, _record, about) => about();
const deliveries: FoundIn = (tx, _record, about) => about().flatMap(({ id }) => tx.deliveries.where("message", id));

const RELATED: Readonly<Partial<Record<CollectionName, Readonly<Partial<Record<CollectionName, FoundIn>>>>>> = {
  bookings: {
    tickets: (tx, { id }) => tx.tickets.where("booking", id),
    entries: entriesOfOrder,
    messages,
    deliveries,
  },
  orders: { entries: (tx, { id }) => tx.entries.where("order", id), messages },
  giftCards: { entries: entriesOfOrder, messages, deliveries },
  events: { bookings: (tx, { id }) => tx.bookings.where("event", id), messages },
  experiences: { events: (tx, { id }) => tx.events.where("experience", id) },
  messages: { deliveries: (tx, { id }) => tx.deliveries.where("message", id) },
  subscriptions: { deliveries: (tx, { id }) => tx.deliveries.where("subscription", id) },
};

/** Of each kind how many there are, and the newest of them. */
export function relatedTo(tx: Transaction, name: CollectionName, record: StoredRecord): Related[] {
  const kinds = Object.entries(RELATED[name] ?? {}) as [CollectionName, FoundIn][];
  let found: readonly Message[] | undefined;
  const about = () => {
    found ??= messagesAbout(tx, record);
    return found;
  };
  return kinds.flatMap(([collection, find]) => {
    const all = [...(find(tx, record, about) as readonly StoredRecord[])].sort((a, b) =>
      madeAt(a) < madeAt(b) ? -1 : madeAt(a) > madeAt(b) ? 1 : 0,
    );
    const items = all.slice(-MOST_LISTED).reverse();
    return all.length === 0
      ? []
      : [{ collection, count: all.length, items: items.map((each) => row(tx, collection, each)) }];
  });
}

const madeAt = ({ created_at, occurred_at }: StoredRecord): string => String(created_at ?? occurred_at ?? "");

function row(tx: Transaction, collection: CollectionName, record: StoredRecord): Related["items"][number] {
  const { title, timezone, state } = headOf(tx, collection, redacted(record));
  return { collection, id: record.id, title, ...(timezone ? { timezone } : {}), ...(state ? { state } : {}) };
}
