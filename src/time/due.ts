// What falls due in a world, and what is done when it does: one row a kind. Each is found by its own index, so looking costs the
// same however large the world. Cut-offs and token expiry are comparisons with the clock, and never due.

import { expireCard } from "../domain/card-end.ts";
import { dropCheckout } from "../domain/checkout.ts";
import type { Desk } from "../domain/desk.ts";
import { completeEvent, completes } from "../domain/event-end.ts";
import { ordered, two } from "../domain/index-keys.ts";
import type { Instant } from "../domain/instant.ts";
import { attachDocument } from "../domain/journal-entry.ts";
import { lastEnd } from "../domain/sessions.ts";

export type What = "eventCompleted" | "giftCardExpired" | "documentAttached" | "checkoutLapsed" | "deliveryAttempted";

export interface Due {
  at: Instant;
  what: What;
  id: string;
  /** Orders things due at one instant by when they came to be: an instant, and a number where there is one. */
  made: string;
}

interface Kind {
  what: What;
  /** The first of its kind: its index is in the order in which things are done. */
  next(desk: Desk): Due | undefined;
  settle(desk: Desk, id: string): void;
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

export const kinds: readonly Kind[] = [
  {
    what: "eventCompleted",
    next: (desk) =>
      first(
        desk.events.walk("due"),
        ({ id, sessions, created_at }) => ({ what: "eventCompleted", id, at: lastEnd(sessions), made: created_at }),
        (event) => completes(desk, event),
      ),
    settle: (desk, id) => settled(desk.events.get(id), (event) => completeEvent(desk, event)),
  },
  {
    what: "giftCardExpired",
    next: (desk) =>
      first(desk.giftCards.walk("due"), ({ id, expires_at, created_at }) => ({
        what: "giftCardExpired",
        id,
        at: expires_at,
        made: created_at,
      })),
    settle: (desk, id) => settled(desk.giftCards.get(id), (card) => expireCard(desk, card)),
  },
  {
    what: "documentAttached",
    next: (desk) =>
      first(desk.entries.walk("due"), ({ id, document_due_at = "", created_at, number }) => ({
        what: "documentAttached",
        id,
        at: document_due_at,
        made: two(created_at, ordered(Number(number))),
      })),
    settle: (desk, id) => settled(desk.entries.get(id), (entry) => attachDocument(desk, entry)),
  },
  {
    what: "checkoutLapsed",
    next: (desk) =>
      first(desk.bookings.walk("due"), ({ id, lapses_at = "", created_at }) => ({
        what: "checkoutLapsed",
        id,
        at: lapses_at,
        made: created_at,
      })),
    settle: (desk, id) => settled(desk.bookings.get(id), (booking) => dropCheckout(desk, booking, "LAPSED")),
  },
];

/** The next thing due, by instant, then by creation, then by id. */
export function nextDue(desk: Desk): Due | undefined {
  let next: Due | undefined;
  for (const kind of kinds) {
    const due = kind.next(desk);
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

export function settle(desk: Desk, due: Due): void {
  kinds.find(({ what }) => what === due.what)?.settle(desk, due.id);
}
