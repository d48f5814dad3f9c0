// Ends gift cards that were not spent: the host voids them, or they expire. Each end records the remaining money. Heading
// "Gift card status"; assumptions: gift-card-expired, gift-card-given, gift-card-voided, posting-rules ("Gift cards").

import type { GiftCard } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { giftCardStates, move } from "../kernel/transitions.ts";
import { record } from "../money/journal-entry.ts";
import { sumHeld } from "../money/order.ts";
import { mustBeActive, recordChange, saveCard } from "./gift-card.ts";

/**
 * Voids a card; the caller records the money in the journal. `balance` in minor units stays on the card as
 * information. Rejects with GIFT_CARD_NOT_ACTIVE.
 */
export function voidCard(tx: Transaction, card: GiftCard, balance = card.balance.value): GiftCard {
  mustBeActive(tx, card);
  const status = move(giftCardStates, card.id, card.status, "VOIDED");
  return saveCard(tx, { ...card, status, balance: { ...card.balance, value: balance } }, "gift_card.voided");
}

/** Voids a card without a refund: its balance is written off, and stays on the card as information. */
export function disableCard(tx: Transaction, card: GiftCard): GiftCard {
  const voided = voidCard(tx, card);
  // The amount is the balance before, which the voided card still shows.
  recordChange(tx, card, -card.balance.value);
  return voided;
}

/**
 * Expires a card. Paid money becomes a gain; money that the host gave is taken back, because it was never paid. Only
 * the clock calls this, no act.
 */
export function expireCard(tx: Transaction, card: GiftCard): GiftCard {
  const { currency, value } = card.balance;
  const status = move(giftCardStates, card.id, card.status, "EXPIRED");
  const balance = tx.assumes("gift-card-expired") === "balance-zero" ? { ...card.balance, value: 0 } : card.balance;
  const expired = saveCard(tx, { ...card, status, balance }, "gift_card.expired");
  // The amount is what guests paid for, up to what is left on the card.
  const amount = tx.assumes("gift-card-given") === "breakage" ? value : Math.min(value, getPaid(tx, card));
  const rows = [
    { type: "GIFT_CARD_LIABILITY", side: "DEBIT", amount },
    { type: "GIFT_CARD_BREAKAGE", side: "CREDIT", amount },
  ] as const;
  record(tx, { kind: "BREAKAGE", currency }, rows, { gift_card_id: card.id });
  // Both entries together empty the liability.
  recordChange(tx, card, amount - value);
  return expired;
}

function getPaid(tx: Transaction, card: GiftCard): number {
  const order = card.order_id === undefined ? undefined : tx.orders.get(card.order_id);
  return order ? sumHeld(order) : 0;
}
