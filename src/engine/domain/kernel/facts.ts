// What has happened, as rules report it. A fact names its record; a webhook message reads the rest from that record.

import type { Instant } from "./instant.ts";

export const factNames = [
  "experience.created",
  "experience.updated",
  "experience.archived",
  "experience.deleted",
  "event.created",
  "event.updated",
  "event.cancelled",
  "event.completed",
  "event.deleted",
  "booking.created",
  "booking.started",
  "booking.updated",
  "booking.cancelled",
  "booking.moved",
  "booking.lapsed",
  "booking.abandoned",
  "ticket.checked_in",
  "ticket.check_in_undone",
  "ticket.voided",
  "order.created",
  "order.updated",
  "order.paid",
  "order.refunded",
  "order.cancelled",
  "gift_card.created",
  "gift_card.updated",
  "gift_card.extended",
  "gift_card.spent",
  "gift_card.expired",
  "gift_card.voided",
  "marketing_consent.created",
  "location.created",
  "location.removed",
  "journal_entry.created",
  "journal_entry.document_attached",
  "journal_entry.activity_recorded",
  "webhook_subscription.created",
  "webhook_subscription.updated",
  "webhook_subscription.deleted",
  "key.created",
  "key.updated",
  "key.revoked",
  "token.issued",
] as const;

export type FactName = (typeof factNames)[number];

export interface Fact {
  fact: FactName;
  /** The record it is about. */
  id: string;
}

/** One thing that a move of the clock did. */
export interface ReceiptLine {
  at: Instant;
  what: "eventCompleted" | "giftCardExpired" | "documentAttached" | "checkoutLapsed" | "deliveryAttempted";
  /** The record it was done to. */
  id: string;
  facts: Fact[];
}
