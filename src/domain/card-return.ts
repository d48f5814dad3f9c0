// Voiding a gift card so that what it holds goes back to whoever bought it; its order ends with it. Assumptions: gift-card-voided,
// order-transitions, posting-rules ("voided with refund").
import { voidCard } from "./card-end.ts";
import type { Desk } from "./desk.ts";
import { adjustmentOf } from "./gift-card.ts";
import { heldOn, openToRefund } from "./order.ts";
import type { GiftCard } from "./records.ts";
import { makeRefund, payBack } from "./refund.ts";
import { refuse } from "./refusal.ts";
import { order as cycle, move } from "./transitions.ts";

/** At most what was paid goes back; what the host had put on top is written off. */
export function voidBoughtCard(desk: Desk, card: GiftCard): GiftCard {
  const order = card.order_id ? desk.orders.get(card.order_id) : undefined;
  const paid = order?.transactions.find(({ status }) => status === "COMPLETED");
  if (!order || !paid || paid.provider === "SETTLEMENT") {
    return refuse("GIFT_CARD_HAS_NO_ORDER", { gift_card_id: card.id });
  }
  const voided = voidCard(desk, card, 0);
  const amount = Math.min(card.balance.value, openToRefund(order, paid));
  const weights = order.line_items.map((line) => heldOn(order, line));
  const refund = makeRefund(desk, order, paid, { amount, status: "COMPLETED", weights });
  const status = move(cycle, order.id, order.status, "CANCELLED");
  payBack(desk, { ...order, status, refunds: [...order.refunds, refund] }, refund);
  desk.tell("order.cancelled", order.id);
  adjustmentOf(desk, card, amount - card.balance.value);
  return voided;
}
