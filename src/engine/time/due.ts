// What falls due in a world, and what is done then: one row per kind. Each kind has its own index, so finding the next costs the same
// however large the world. Cut-offs and token expiry are comparisons with the clock, and never due.

import { dropCheckout } from "../domain/booking/checkout.ts";
import { canComplete, completeEvent } from "../domain/event/event-end.ts";
import { getEnd } from "../domain/event/sessions.ts";
import { expireCard } from "../domain/gift-card/card-end.ts";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import { joinKeys, toSortable } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { ScheduledEvent } from "../domain/kernel/records.ts";
import type { Repository, Transaction } from "../domain/kernel/transaction.ts";
import { attachDocument } from "../domain/money/journal-entry.ts";

type What = ReceiptLine["what"];

export interface Due {
  at: Instant;
  what: What;
  id: string;
  /** Orders things due at one instant by creation: an instant, and a number where there is one. */
  made: string;
}

/** What orders things that are due. */
type Position = Omit<Due, "what"> & { what: string };

interface DueKind {
  what: What;
  first(tx: Transaction): Due | undefined;
  /** In the order in which things are done, which is that of the index of its kind. */
  walk(tx: Transaction): Iterable<Due>;
  settle(tx: Transaction, id: string): void;
}

interface DueRow<R extends { id: string }> {
  what: What;
  records(tx: Transaction): Repository<R, "due">;
  at(record: R): Instant;
  made(record: R): string;
  /** Whether one in the index is due at all. */
  fallsDue?(tx: Transaction, record: R): boolean;
  settle(tx: Transaction, record: R): unknown;
}

function dueKind<R extends { id: string }>({ what, records, at, made, fallsDue, settle }: DueRow<R>): DueKind {
  const toDue = (record: R): Due => ({ what, id: record.id, at: at(record), made: made(record) });
  const isDue = (tx: Transaction, record: R) => fallsDue === undefined || fallsDue(tx, record);
  function* walk(tx: Transaction): Generator<Due> {
    for (const record of records(tx).walk("due")) if (isDue(tx, record)) yield toDue(record);
  }
  return {
    what,
    walk,
    // Asked after every commit; a walk takes several times as long.
    first(tx) {
      const record = records(tx).first("due");
      if (record && isDue(tx, record)) return toDue(record);
      const [due] = record ? walk(tx) : [];
      return due;
    },
    settle(tx, id) {
      const record = records(tx).get(id);
      if (record) settle(tx, record);
    },
  };
}

const dueKinds: readonly DueKind[] = [
  dueKind<ScheduledEvent>({
    what: "eventCompleted",
    records: (tx) => tx.events,
    at: ({ sessions }) => getEnd(sessions),
    made: ({ created_at }) => created_at,
    fallsDue: canComplete,
    settle: completeEvent,
  }),
  dueKind({
    what: "giftCardExpired",
    records: (tx) => tx.giftCards,
    at: ({ expires_at }) => expires_at,
    made: ({ created_at }) => created_at,
    settle: expireCard,
  }),
  dueKind({
    what: "documentAttached",
    records: (tx) => tx.entries,
    at: ({ document_due_at = "" }) => document_due_at,
    made: ({ created_at, number }) => joinKeys(created_at, toSortable(Number(number))),
    settle: (tx, entry) => attachDocument(tx, entry),
  }),
  dueKind({
    what: "checkoutLapsed",
    records: (tx) => tx.bookings,
    at: ({ lapses_at = "" }) => lapses_at,
    made: ({ created_at }) => created_at,
    settle: (tx, booking) => dropCheckout(tx, booking, "LAPSED"),
  }),
];

/** The next thing due, by instant, then by creation, then by id. */
export function findDue(tx: Transaction): Due | undefined {
  let next: Due | undefined;
  for (const kind of dueKinds) {
    const due = kind.first(tx);
    if (due && (!next || compareDue(due, next) < 0)) next = due;
  }
  return next;
}

/** All that is due, in that order. */
export function listDue(tx: Transaction): Due[] {
  return dueKinds.flatMap((kind) => [...kind.walk(tx)]).sort(compareDue);
}

export function compareDue(a: Position, b: Position): number {
  return compare(a.at, b.at) || compare(a.made, b.made) || compare(a.what, b.what) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function settle(tx: Transaction, due: Due): void {
  dueKinds.find(({ what }) => what === due.what)?.settle(tx, due.id);
}
