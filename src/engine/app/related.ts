// The records from whose side a record is named, or that are about it: of a booking its tickets, its entries, and the messages sent about
// it with their deliveries; of an event its bookings. An index finds them, and where there may be very many, another has them by age, so
// that only those that are listed are read; messages, which have none, are looked for among the newest.

import type { Schemas } from "../../contract/schemas.ts";
import { endOf, two } from "../domain/kernel/index-keys.ts";
import { type CollectionName, headOf, type StoredRecord } from "../domain/kernel/record-kinds.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Repository, Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";

type Related = Schemas["RelatedRecords"];
/** How many there are, and the newest of them, that one first. */
interface Found {
  count: number;
  newest: readonly object[];
}
/** `about`: the messages about the record, looked for once however many kinds ask. */
type FoundIn = (tx: Transaction, record: StoredRecord, about: () => readonly Message[]) => Found;

/** So many of each kind are listed. */
const MOST_LISTED = 10;
/** So many of the newest messages are looked through for those about a record. */
const MOST_LOOKED_AT = 1000;

/** Of a few, all of which are read. */
function newestOf(all: readonly object[]): Found {
  const madeAt = ({ created_at, occurred_at }: StoredRecord): string => String(created_at ?? occurred_at ?? "");
  const byAge = (all as StoredRecord[]).toSorted((a, b) =>
    madeAt(a) < madeAt(b) ? -1 : madeAt(a) > madeAt(b) ? 1 : 0,
  );
  return { count: all.length, newest: byAge.slice(-MOST_LISTED).reverse() };
}

/** Of any number: one index counts those of an owner, the other has them by age. */
function newestBy<R extends { id: string }, I extends string>(
  all: Repository<R, I>,
  [counted, aged]: readonly [counted: I, aged: I],
  owner: string,
): Found {
  const newest: R[] = [];
  for (const record of all.walk(aged, { from: two(owner, ""), until: endOf(owner), descending: true })) {
    newest.push(record);
    if (newest.length === MOST_LISTED) break;
  }
  return { count: all.count(counted, owner), newest };
}

const entriesOfOrder: FoundIn = (tx, { order_id }) =>
  newestOf(typeof order_id === "string" ? tx.entries.where("order", order_id) : []);

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

const messages: FoundIn = (_tx, _record, about) => newestOf(about());
const deliveries: FoundIn = (tx, _record, about) =>
  newestOf(about().flatMap(({ id }) => tx.deliveries.where("message", id)));

const RELATED: Readonly<Partial<Record<CollectionName, Readonly<Partial<Record<CollectionName, FoundIn>>>>>> = {
  bookings: {
    tickets: (tx, { id }) => newestOf(tx.tickets.where("booking", id)),
    entries: entriesOfOrder,
    messages,
    deliveries,
  },
  orders: { entries: (tx, { id }) => newestOf(tx.entries.where("order", id)), messages },
  giftCards: { entries: entriesOfOrder, messages, deliveries },
  events: { bookings: (tx, { id }) => newestBy(tx.bookings, ["event", "eventCreated"], id), messages },
  experiences: { events: (tx, { id }) => newestBy(tx.events, ["experience", "experienceCreated"], id) },
  messages: { deliveries: (tx, { id }) => newestOf(tx.deliveries.where("message", id)) },
  subscriptions: {
    deliveries: (tx, { id }) => newestBy(tx.deliveries, ["subscription", "subscriptionCreated"], id),
  },
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
    const { count, newest } = find(tx, record, about);
    const items = newest.map((each) => row(tx, collection, each as StoredRecord));
    return count === 0 ? [] : [{ collection, count, items }];
  });
}

function row(tx: Transaction, collection: CollectionName, record: StoredRecord): Related["items"][number] {
  const { title, timezone, state } = headOf(tx, collection, redactRecord(record));
  return { collection, id: record.id, title, ...(timezone ? { timezone } : {}), ...(state ? { state } : {}) };
}
