// Acts on gift cards. Headings "Order" (origin GIFTCARD) and "Gift card status"; assumptions: posting-rules ("Gift cards"),
// gift-card-spent, gift-card-voided.

import { optional } from "../../platform/optional.ts";
import { toCustomer } from "../domain/booking/customer.ts";
import { disableCard } from "../domain/gift-card/card-end.ts";
import { voidBoughtCard } from "../domain/gift-card/card-return.ts";
import { sellCard } from "../domain/gift-card/card-sale.ts";
import { adjustCard, issueCard, spendCard } from "../domain/gift-card/gift-card.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { getCard, pay } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { type ActAmount, getCurrency, parseInstant, toMinor, toMinorPaid } from "./fields.ts";

export const giftCardActs = [
  // A guest buys a card: an order that is paid in full.
  act("buyGiftCard", (tx, { customer, provider, ...input }) => {
    const { card, order } = sellCard(tx, { ...addCard(tx, input), customer: toCustomer(customer ?? {}) });
    pay(tx, order, optional({ provider }));
    return card;
  }),

  // A host gives a card away: an ADJUSTMENT, and no order.
  act("issueGiftCard", (tx, input) => issueCard(tx, addCard(tx, input))),

  // Sets the balance; zero makes the card SPENT.
  act("adjustGiftCard", (tx, { gift_card_id, balance }) => {
    const card = getCard(tx, gift_card_id);
    return adjustCard(tx, card, toMinor(balance, card.balance.currency, "body.balance"));
  }),

  // Spends from the card at the host's till, outside any order.
  act("spendGiftCard", (tx, { gift_card_id, amount }) => {
    const card = getCard(tx, gift_card_id);
    return spendCard(tx, card, toMinorPaid(amount, card.balance.currency, "body.amount"));
  }),

  // The buyer gets the money back with `refund`.
  act("voidGiftCard", (tx, { gift_card_id, refund = false }) => {
    const card = getCard(tx, gift_card_id);
    return refund ? voidBoughtCard(tx, card) : disableCard(tx, card);
  }),
];

function addCard<I extends { initial_value: ActAmount; expires_at?: string }>(
  tx: Transaction,
  { initial_value, expires_at, ...rest }: I,
) {
  const currency = getCurrency(tx, initial_value, "body.initial_value");
  const value = toMinor(initial_value, currency, "body.initial_value");
  const expiry = optional({ expires_at: expires_at && parseInstant(expires_at, "body.expires_at") });
  return { ...rest, ...expiry, value, currency };
}
