// Voids a gift card with a refund: its balance goes back to the buyer, and its order is cancelled. Assumptions:
// gift-card-voided, order-transitions, posting-rules ("voided with refund"), refund-of-integration.

import { reject } from "../kernel/domain-error.ts";
import type { GiftCard } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, orderStates } from "../kernel/transitions.ts";
import { computeRefundable, getHeld } from "../money/order.ts";
import { makeRefund, payBack } from "../money/refund.ts";
import { explainNoRefund, listRefundableTransactions } from "../money/refundable.ts";
import { voidCard } from "./card-end.ts";
import { recordChange } from "./gift-card.ts";

/** Refunds at most what was paid. What the host added to the card is written off. */
export function voidBoughtCard(tx: Transaction, card: GiftCard): GiftCard {
  const order = card.order_id ? tx.orders.get(card.order_id) : undefined;
  const paid = order?.transactions.find(({ status }) => status === "COMPLETED");
  if (!order || !paid) return reject("GIFT_CARD_HAS_NO_ORDER", { gift_card_id: card.id });
  if (paid.details?.type === "SETTLEMENT")
    return reject("GIFT_CARD_OF_REFUND", { gift_card_id: card.id, order_id: paid.details.origin_order_id });
  if (!listRefundableTransactions(tx, order, "payment_method").includes(paid)) {
    const why = `${explainNoRefund(tx, order, order.line_items)}; void the card without refund`;
    return reject("NOTHING_TO_REFUND", { order_id: order.id, why });
  }
  const voided = voidCard(tx, card, 0);
  const amount = Math.min(card.balance.value, computeRefundable(order, paid));
  const weights = order.line_items.map((line) => getHeld(order, line));
  const refund = makeRefund(tx, order, paid, { amount, status: "COMPLETED", weights });
  const status = move(orderStates, order.id, order.status, "CANCELLED");
  payBack(tx, { ...order, status, refunds: [...order.refunds, refund] }, refund);
  tx.emit("order.cancelled", order.id);
  recordChange(tx, card, amount - card.balance.value);
  return voided;
}
