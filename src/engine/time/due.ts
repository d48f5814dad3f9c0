// Finds what is due in a world and runs it: one row per kind. Each kind has its own index, so finding the next takes the
// same time in worlds of any size. Cut-offs and token expiry are comparisons with the clock, and never due.

import { compareTexts } from "../../platform/sorted-map.ts";
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
  /** Orders things due at one instant by creation: an instant, and a number if there is one. */
  made: string;
}

/** The fields that order things that are due. */
type Position = Omit<Due, "what"> & { what: string };

interface DueKind {
  what: What;
  first(tx: Transaction): Due | undefined;
  /** Yields due things in the order in which they run, which is that of the kind's index. */
  walk(tx: Transaction): Iterable<Due>;
  settle(tx: Transaction, id: string): void;
}

interface DueRow<R extends { id: string }> {
  what: What;
  records(tx: Transaction): Repository<R, "due">;
  at(record: R): Instant;
  made(record: R): string;
  /** Whether a record of the index is due; the default is yes. */
  fallsDue?(tx: Transaction, record: R): boolean;
  settle(tx: Transaction, record: R): unknown;
}

function createDueKind<R extends { id: string }>({ what, records, at, made, fallsDue, settle }: DueRow<R>): DueKind {
  const toDue = (record: R): Due => ({ what, id: record.id, at: at(record), made: made(record) });
  const isDue = (tx: Transaction, record: R) => fallsDue === undefined || fallsDue(tx, record);
  function* walk(tx: Transaction): Generator<Due> {
    for (const record of records(tx).walk("due")) if (isDue(tx, record)) yield toDue(record);
  }
  return {
    what,
    walk,
    // This runs after every commit, and a walk would take several times as long.
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
  createDueKind<ScheduledEvent>({
    what: "eventCompleted",
    records: (tx) => tx.events,
    at: ({ sessions }) => getEnd(sessions),
    made: ({ created_at }) => created_at,
    fallsDue: canComplete,
    settle: completeEvent,
  }),
  createDueKind({
    what: "giftCardExpired",
    records: (tx) => tx.giftCards,
    at: ({ expires_at }) => expires_at,
    made: ({ created_at }) => created_at,
    settle: expireCard,
  }),
  createDueKind({
    what: "documentAttached",
    records: (tx) => tx.entries,
    at: ({ document_due_at = "" }) => document_due_at,
    made: ({ created_at, number }) => joinKeys(created_at, toSortable(Number(number))),
    settle: (tx, entry) => attachDocument(tx, entry),
  }),
  createDueKind({
    what: "checkoutLapsed",
    records: (tx) => tx.bookings,
    at: ({ lapses_at = "" }) => lapses_at,
    made: ({ created_at }) => created_at,
    settle: (tx, booking) => dropCheckout(tx, booking, "LAPSED"),
  }),
];

/** Finds the next thing due, by instant, then by creation, then by id. */
export function findDue(tx: Transaction): Due | undefined {
  let next: Due | undefined;
  for (const kind of dueKinds) {
    const due = kind.first(tx);
    if (due && (!next || compareDue(due, next) < 0)) next = due;
  }
  return next;
}

/** Lists everything that is due, in that order. */
export function listDue(tx: Transaction): Due[] {
  return dueKinds.flatMap((kind) => [...kind.walk(tx)]).sort(compareDue);
}

export function compareDue(a: Position, b: Position): number {
  return (
    compareTexts(a.at, b.at) || compareTexts(a.made, b.made) || compareTexts(a.what, b.what) || compareTexts(a.id, b.id)
  );
}

export function settle(tx: Transaction, due: Due): void {
  dueKinds.find(({ what }) => what === due.what)?.settle(tx, due.id);
}
