// Money back: to the method it was paid with, or as a gift card through a SETTLEMENT order. Assumptions: refund, refund-to-card,
// refund-of-integration, posting-rules ("REFUND mirrors SALE …"). Heading "Order": SettlementRefundDetails.
import { type CardSale, sellForRefund } from "./card-sale.ts";
import type { Desk } from "./desk.ts";
import { putBackOn, takesBack } from "./gift-card.ts";
import { bookRefund, followRevenue } from "./ledger.ts";
import { price, share } from "./money.ts";
import { heldOn, openToRefund } from "./order.ts";
import { accountOf, cardOf, keep } from "./payment.ts";
import type { GiftCard, Order, OrderRefund, OrderTransaction, TransactionStatus } from "./records.ts";
import { leftToIntegration, linesFor, openOf, type RefundWay, refundable, whyNothing } from "./refundable.ts";
import { refuse } from "./refusal.ts";
import { refund as cycle, move } from "./transitions.ts";

export interface RefundWish {
  /** Minor units; default: all that is left (of the ticket, when one is named). */
  amount?: number;
  ticket_id?: string;
  to?: RefundWay;
  status?: TransactionStatus;
}

/** Pays back, from the first transaction on; answers the order as it stands then. */
export function refundOrder(desk: Desk, order: Order, wish: RefundWish): Order {
  if (order.origin.type === "GIFTCARD") refuse("GIFT_CARD_ORDER", { order_id: order.id });
  const lines = linesFor(desk, order, wish.ticket_id);
  const open = openOf(desk, order, lines, wish.to);
  if (open === 0) refuse("NOTHING_TO_REFUND", { order_id: order.id, why: whyNothing(desk, order, lines) });
  const amount = wish.amount ?? open;
  if (amount > open) refuse("AMOUNT_TOO_HIGH", { amount, open, kind: "order", id: order.id });
  const status = wish.status ?? "COMPLETED";
  const asCard = wish.to === "gift_card";
  const sale = asCard && status === "COMPLETED" ? sellForRefund(desk, order, amount) : undefined;
  const chosen = new Set(lines.map(({ id }) => id));
  let left = amount;
  let refunded = order;
  for (const transaction of refundable(desk, order, wish.to)) {
    const part = Math.min(left, openToRefund(refunded, transaction));
    if (part === 0) continue;
    left -= part;
    const takes = refunded.line_items.map((line) => (chosen.has(line.id) ? heldOn(refunded, line) : 0));
    const refund = makeRefund(desk, refunded, transaction, { amount: part, status, weights: takes, asCard });
    const added = { ...refunded, refunds: [...refunded.refunds, refund] };
    refunded = status === "COMPLETED" ? payBack(desk, added, refund, sale) : keep(desk, followRevenue(desk, added));
  }
  return refunded;
}

/** Pays back so much (all, when nothing is said) of an order that is called off. What only its integration can pay back stands on the order. */
export function returnMoney(desk: Desk, order: Order, to: RefundWay, wanted?: number): Order {
  const lines = linesFor(desk, order);
  const [own, others] = [openOf(desk, order, lines, to), leftToIntegration(desk, order, lines, to)];
  const amount = wanted ?? own + others;
  if (amount > own + others) refuse("AMOUNT_TOO_HIGH", { amount, open: own + others, kind: "order", id: order.id });
  const refunded = own === 0 || amount === 0 ? order : refundOrder(desk, order, { to, amount: Math.min(own, amount) });
  return amount > own ? leave(desk, refunded, amount - own) : refunded;
}

function leave(desk: Desk, order: Order, amount: number): Order {
  const chosen = new Set(linesFor(desk, order).map(({ id }) => id));
  const weights = order.line_items.map((line) => (chosen.has(line.id) ? heldOn(order, line) : 0));
  const split = share(amount, weights);
  const left_to_integration = Object.fromEntries(order.line_items.map(({ id }, index) => [id, split[index] ?? 0]));
  return keep(desk, followRevenue(desk, { ...order, left_to_integration }));
}

/** Ends a refund under way. */
export function endRefund(desk: Desk, order: Order, refundId: string, status: TransactionStatus): Order {
  const known = order.refunds.find(({ id }) => id === refundId);
  if (!known) return refuse("TRANSACTION_NOT_FOUND", { order_id: order.id, kind: "refund", id: refundId });
  const ended = { ...known, status: move(cycle, known.id, known.status, status) as TransactionStatus };
  const next = withRefund(order, ended);
  return status === "COMPLETED" ? payBack(desk, next, ended) : keep(desk, followRevenue(desk, next));
}

interface RefundParts {
  amount: number;
  status: TransactionStatus;
  /** What each line could give. */
  weights: readonly number[];
  asCard?: boolean;
}

export function makeRefund(desk: Desk, order: Order, paid: OrderTransaction, parts: RefundParts): OrderRefund {
  const { amount, status, weights, asCard = false } = parts;
  const split = share(amount, weights);
  const same = paid.provider === "INTEGRATION" ? "UNKNOWN" : paid.provider;
  return {
    id: desk.newId(),
    status,
    provider: asCard ? "SETTLEMENT" : same,
    amount: price(amount, order.currency),
    transaction_id: paid.id,
    created_at: desk.now,
    shares: Object.fromEntries(order.line_items.map((line, index) => [line.id, split[index] ?? 0])),
  };
}

/** Moves the money of a refund: lines, journal, and the card that takes it, if one does. */
export function payBack(desk: Desk, order: Order, refund: OrderRefund, made?: CardSale): Order {
  const card = cardBehind(desk, order, refund);
  const lost = card !== undefined && !takesBack(desk, card);
  const asCard = refund.provider === "SETTLEMENT" || lost;
  const sale = asCard ? (made ?? sellForRefund(desk, order, refund.amount.value)) : undefined;
  const back = card && !asCard ? putBackOn(desk, card, refund.amount.value) : undefined;
  const destination = sale && {
    provider: "SETTLEMENT" as const,
    details: { type: "SETTLEMENT" as const, destination_order_id: sale.order.id },
  };
  const settled: OrderRefund = { ...refund, ...destination };
  const split = order.line_items.map((line) => settled.shares[line.id] ?? 0);
  const line_items = order.line_items.map((line, index) => ({
    ...line,
    refunded: line.refunded + (split[index] ?? 0),
  }));
  const refunded = withRefund({ ...order, line_items }, settled);
  bookRefund(desk, refunded, split, accountOf(settled.provider), back?.id);
  const kept = keep(desk, followRevenue(desk, refunded));
  desk.tell("order.refunded", order.id);
  return kept;
}

function withRefund(order: Order, refund: OrderRefund): Order {
  return { ...order, refunds: order.refunds.map((each) => (each.id === refund.id ? refund : each)) };
}

/** The card whose payment goes back to it. A card that can't take its money back any more is replaced by a new one. */
function cardBehind(desk: Desk, order: Order, refund: OrderRefund): GiftCard | undefined {
  const paid = order.transactions.find(({ id }) => id === refund.transaction_id);
  const named = paid?.details?.type === "GIFTCARD" ? paid.details.gift_card_id : undefined;
  return named === undefined || refund.provider !== "GIFTCARD" ? undefined : cardOf(desk, named);
}
