// What falls due in a world, and what is done then: one row per kind. Each kind has its own index, so finding the next costs the same
// however large the world. Cut-offs and token expiry are comparisons with the clock, and never due.

import { dropCheckout } from "../domain/booking/checkout.ts";
import { completeEvent, completes } from "../domain/event/event-end.ts";
import { lastEnd } from "../domain/event/sessions.ts";
import { expireCard } from "../domain/gift-card/card-end.ts";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import { ordered, two } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { attachDocument } from "../domain/money/journal-entry.ts";

export type What = ReceiptLine["what"];

export interface Due {
  at: Instant;
  what: What;
  id: string;
  /** Orders things due at one instant by creation: an instant, and a number where there is one. */
  made: string;
}

interface DueKind {
  what: What;
  /** The first of its kind: its index is in the order in which things are done. */
  next(tx: Transaction): Due | undefined;
  settle(tx: Transaction, id: string): void;
}

const settled = <R>(record: R | undefined, work: (record: R) => unknown): void => {
  if (record) work(record);
};

function first<R>(
  records: Iterable<R>,
  due: (record: R) => Due,
  fallsDue: (record: R) => boolean = () => true,
): Due | undefined {
  for (const record of records) if (fallsDue(record)) return due(record);
  return undefined;
}

export const dueKinds: readonly DueKind[] = [
  {
    what: "eventCompleted",
    next: (tx) =>
      first(
        tx.events.walk("due"),
        ({ id, sessions, created_at }) => ({ what: "eventCompleted", id, at: lastEnd(sessions), made: created_at }),
        (event) => completes(tx, event),
      ),
    settle: (tx, id) => settled(tx.events.get(id), (event) => completeEvent(tx, event)),
  },
  {
    what: "giftCardExpired",
    next: (tx) =>
      first(tx.giftCards.walk("due"), ({ id, expires_at, created_at }) => ({
        what: "giftCardExpired",
        id,
        at: expires_at,
        made: created_at,
      })),
    settle: (tx, id) => settled(tx.giftCards.get(id), (card) => expireCard(tx, card)),
  },
  {
    what: "documentAttached",
    next: (tx) =>
      first(tx.entries.walk("due"), ({ id, document_due_at = "", created_at, number }) => ({
        what: "documentAttached",
        id,
        at: document_due_at,
        made: two(created_at, ordered(Number(number))),
      })),
    settle: (tx, id) => settled(tx.entries.get(id), (entry) => attachDocument(tx, entry)),
  },
  {
    what: "checkoutLapsed",
    next: (tx) =>
      first(tx.bookings.walk("due"), ({ id, lapses_at = "", created_at }) => ({
        what: "checkoutLapsed",
        id,
        at: lapses_at,
        made: created_at,
      })),
    settle: (tx, id) => settled(tx.bookings.get(id), (booking) => dropCheckout(tx, booking, "LAPSED")),
  },
];

/** The next thing due, by instant, then by creation, then by id. */
export function nextDue(tx: Transaction): Due | undefined {
  let next: Due | undefined;
  for (const kind of dueKinds) {
    const due = kind.next(tx);
    if (due && (!next || byOrder(due, next) < 0)) next = due;
  }
  return next;
}

function byOrder(a: Due, b: Due): number {
  return byText(a.at, b.at) || byText(a.made, b.made) || byText(a.what, b.what) || byText(a.id, b.id);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function settle(tx: Transaction, due: Due): void {
  dueKinds.find(({ what }) => what === due.what)?.settle(tx, due.id);
}
