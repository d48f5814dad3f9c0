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
  next(desk: Desk): Iterable<Due>;
  settle(desk: Desk, id: string): void;
}

const settled = <R>(record: R | undefined, work: (record: R) => unknown): void => {
  if (record) work(record);
};

export const kinds: readonly Kind[] = [
  {
    what: "eventCompleted",
    *next(desk) {
      for (const event of desk.events.walk("due")) {
        if (!completes(desk, event)) continue;
        yield { what: this.what, id: event.id, at: lastEnd(event.sessions), made: event.created_at };
      }
    },
    settle: (desk, id) => settled(desk.events.get(id), (event) => completeEvent(desk, event)),
  },
  {
    what: "giftCardExpired",
    *next(desk) {
      for (const card of desk.giftCards.walk("due"))
        yield { what: this.what, id: card.id, at: card.expires_at, made: card.created_at };
    },
    settle: (desk, id) => settled(desk.giftCards.get(id), (card) => expireCard(desk, card)),
  },
  {
    what: "documentAttached",
    *next(desk) {
      for (const { id, document_due_at = "", created_at, number } of desk.entries.walk("due"))
        yield { what: this.what, id, at: document_due_at, made: two(created_at, ordered(Number(number))) };
    },
    settle: (desk, id) => settled(desk.entries.get(id), (entry) => attachDocument(desk, entry)),
  },
  {
    what: "checkoutLapsed",
    *next(desk) {
      for (const booking of desk.bookings.walk("due"))
        yield { what: this.what, id: booking.id, at: booking.lapses_at ?? "", made: booking.created_at };
    },
    settle: (desk, id) => settled(desk.bookings.get(id), (booking) => dropCheckout(desk, booking, "LAPSED")),
  },
];

/** The next thing due, by instant, then by creation, then by id. */
export function nextDue(desk: Desk): Due | undefined {
  let first: Due | undefined;
  for (const kind of kinds) {
    for (const due of kind.next(desk)) {
      if (first && due.at > first.at) break;
      if (!first || byOrder(due, first) < 0) first = due;
    }
  }
  return first;
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
