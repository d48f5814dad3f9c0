// What falls due in a world, and what is done then: one row per kind. Each kind has its own index, so finding the next costs the same
// however large the world. Cut-offs and token expiry are comparisons with the clock, and never due.

import { dropCheckout } from "../domain/booking/checkout.ts";
import { completeEvent, completes } from "../domain/event/event-end.ts";
import { lastEnd } from "../domain/event/sessions.ts";
import { expireCard } from "../domain/gift-card/card-end.ts";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import { ordered, two } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction, Walk } from "../domain/kernel/transaction.ts";
import { attachDocument } from "../domain/money/journal-entry.ts";

export type What = ReceiptLine["what"];

export interface Due {
  at: Instant;
  what: What;
  id: string;
  /** Orders things due at one instant by creation: an instant, and a number where there is one. */
  made: string;
}

/** Where to go on: behind this, in the order in which things are done. */
type Behind = Pick<Due, "at" | "what" | "id" | "made">;

interface DueKind {
  what: What;
  /** In the order in which things are done, which is that of the index of its kind. */
  walk(tx: Transaction, bounds?: Walk): Iterable<Due>;
  settle(tx: Transaction, id: string): void;
}

const settled = <R>(record: R | undefined, work: (record: R) => unknown): void => {
  if (record) work(record);
};

function* shown<R>(
  records: Iterable<R>,
  due: (record: R) => Due,
  fallsDue: (record: R) => boolean = () => true,
): Generator<Due> {
  for (const record of records) if (fallsDue(record)) yield due(record);
}

export const dueKinds: readonly DueKind[] = [
  {
    what: "eventCompleted",
    walk: (tx, bounds) =>
      shown(
        tx.events.walk("due", bounds),
        ({ id, sessions, created_at }) => ({ what: "eventCompleted", id, at: lastEnd(sessions), made: created_at }),
        (event) => completes(tx, event),
      ),
    settle: (tx, id) => settled(tx.events.get(id), (event) => completeEvent(tx, event)),
  },
  {
    what: "giftCardExpired",
    walk: (tx, bounds) =>
      shown(tx.giftCards.walk("due", bounds), ({ id, expires_at, created_at }) => ({
        what: "giftCardExpired",
        id,
        at: expires_at,
        made: created_at,
      })),
    settle: (tx, id) => settled(tx.giftCards.get(id), (card) => expireCard(tx, card)),
  },
  {
    what: "documentAttached",
    walk: (tx, bounds) =>
      shown(tx.entries.walk("due", bounds), ({ id, document_due_at = "", created_at, number }) => ({
        what: "documentAttached",
        id,
        at: document_due_at,
        made: two(created_at, ordered(Number(number))),
      })),
    settle: (tx, id) => settled(tx.entries.get(id), (entry) => attachDocument(tx, entry)),
  },
  {
    what: "checkoutLapsed",
    walk: (tx, bounds) =>
      shown(tx.bookings.walk("due", bounds), ({ id, lapses_at = "", created_at }) => ({
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
    const [due] = kind.walk(tx);
    if (due && (!next || byOrder(due, next) < 0)) next = due;
  }
  return next;
}

/** All that is due, in that order, from the first or from behind one; read from the indexes as it is taken. */
export function* allDue(tx: Transaction, behind?: Behind): Generator<Due> {
  const heads = dueKinds.map((kind) => {
    const walk = kind.walk(tx, behind && boundsOf(kind.what, behind))[Symbol.iterator]();
    return { walk, next: walk.next() };
  });
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (!first || first.next.done || byOrder(head.next.value, first.next.value) < 0) first = head;
    }
    if (!first || first.next.done) return;
    yield first.next.value;
    first.next = first.walk.next();
  }
}

/** The keys of every index called `due` are an instant and what `made` is. */
function boundsOf(what: What, behind: Behind): Walk {
  const key = two(behind.at, behind.made);
  if (what === behind.what) return { past: { key, id: behind.id } };
  return { from: what < behind.what ? `${key}\u0000` : key };
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
