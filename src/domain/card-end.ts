// How gift cards end other than by being spent: voided by the host, or expired on the clock, and what becomes of what they held.
// Heading "Gift card status"; assumptions: gift-card-expired, gift-card-given, gift-card-voided, posting-rules ("Gift cards").
import type { Desk } from "./desk.ts";
import { adjustmentOf, keepCard, mustBeActive } from "./gift-card.ts";
import { record } from "./journal-entry.ts";
import { moneyHeld } from "./order.ts";
import type { GiftCard } from "./records.ts";
import { giftCard as cycle, move } from "./transitions.ts";

/** Booking what becomes of the money is the caller's. */
export function voidCard(desk: Desk, card: GiftCard, balance = card.balance.value): GiftCard {
  mustBeActive(card);
  const status = move(cycle, card.id, card.status, "VOIDED");
  return keepCard(desk, { ...card, status, balance: { ...card.balance, value: balance } }, "gift_card.voided");
}

/** Voids a card without paying anything back: what it held is written off, and stays on it for the record. */
export function disableCard(desk: Desk, card: GiftCard): GiftCard {
  const voided = voidCard(desk, card);
  adjustmentOf(desk, card, -card.balance.value);
  return voided;
}

/** Money that somebody paid is a gain; what the host gave is taken back, for it never was money. */
export function expireCard(desk: Desk, card: GiftCard): GiftCard {
  const { currency, value } = card.balance;
  const status = move(cycle, card.id, card.status, "EXPIRED");
  const balance = desk.assumes("gift-card-expired") === "balance-zero" ? { ...card.balance, value: 0 } : card.balance;
  const expired = keepCard(desk, { ...card, status, balance }, "gift_card.expired");
  const amount = desk.assumes("gift-card-given") === "breakage" ? value : Math.min(value, paidFor(desk, card));
  const rows = [
    { type: "GIFT_CARD_LIABILITY", side: "DEBIT", amount },
    { type: "GIFT_CARD_BREAKAGE", side: "CREDIT", amount },
  ] as const;
  record(desk, "BREAKAGE", currency, rows, { gift_card_id: card.id });
  adjustmentOf(desk, card, amount - value);
  return expired;
}

function paidFor(desk: Desk, card: GiftCard): number {
  const order = card.order_id === undefined ? undefined : desk.orders.get(card.order_id);
  return order ? moneyHeld(order) : 0;
}
