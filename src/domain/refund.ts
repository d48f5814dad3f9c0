// Money back: to the method it was paid with, or as a gift card through a SETTLEMENT order. Assumptions: refund, refund-to-card,
// refund-of-integration, posting-rules ("REFUND mirrors SALE …"). Heading "Order": SettlementRefundDetails.
import type { Desk } from "./desk.ts";
import { makeCard, putBackOn, voidCard } from "./gift-card.ts";
import { bookRefund, followRevenue, isFee } from "./ledger.ts";
import { price, share, sum } from "./money.ts";
import { makeLine, makeOrder, openToRefund } from "./order.ts";
import { accountOf, cardOf, keep, moneyHeld, pay } from "./payment.ts";
import type { GiftCard, Order, OrderLine, OrderRefund, OrderTransaction, TransactionStatus } from "./records.ts";
import { refuse } from "./refusal.ts";
import { refund as cycle, move } from "./transitions.ts";

export interface RefundWish {
  /** Minor units; default: all that is left (of the ticket, when one is named). */
  amount?: number;
  ticket_id?: string;
  to?: "payment_method" | "gift_card" | undefined;
  status?: TransactionStatus;
}

/** Pays back, from the first transaction on; answers the order as it stands then. */
export function refundOrder(desk: Desk, order: Order, wish: RefundWish): Order {
  if (order.origin.type === "GIFTCARD") refuse("GIFT_CARD_ORDER", { order_id: order.id });
  const lines = wish.ticket_id ? linesOfTicket(order, wish.ticket_id) : order.line_items;
  const chosen = new Set(lines.map(({ id }) => id));
  const sources = refundable(desk, order, wish.to);
  const open = Math.min(heldOn(lines), sum(sources.map((transaction) => openToRefund(order, transaction))));
  if (open === 0) refuse("NOTHING_TO_REFUND", { order_id: order.id });
  const amount = wish.amount ?? open;
  if (amount > open) refuse("AMOUNT_TOO_HIGH", { amount, open, kind: "order", id: order.id });
  const card = wish.to === "gift_card" ? cardForRefund(desk, order, amount) : undefined;
  let left = amount;
  let refunded = order;
  for (const transaction of sources) {
    const part = Math.min(left, openToRefund(refunded, transaction));
    if (part > 0)
      refunded = refundPart(desk, refunded, { transaction, part, chosen, card, status: wish.status ?? "COMPLETED" });
    left -= part;
  }
  return refunded;
}

/** Ends a refund under way. */
export function endRefund(desk: Desk, order: Order, refundId: string, status: TransactionStatus): Order {
  const known = order.refunds.find(({ id }) => id === refundId);
  if (!known) return refuse("TRANSACTION_NOT_FOUND", { order_id: order.id, kind: "refund", id: refundId });
  const ended = { ...known, status: move(cycle, known.id, known.status, status) as TransactionStatus };
  const next = { ...order, refunds: order.refunds.map((each) => (each.id === ended.id ? ended : each)) };
  return status === "COMPLETED" ? payBack(desk, next, ended) : keep(desk, next);
}

/** Voids a card; with `refund` what it holds goes back to whoever bought it. */
export function voidBoughtCard(desk: Desk, card: GiftCard): GiftCard {
  const order = card.order_id ? desk.orders.get(card.order_id) : undefined;
  const transaction = order?.transactions.find(({ status }) => status === "COMPLETED");
  if (!order || !transaction || transaction.provider === "SETTLEMENT")
    return refuse("GIFT_CARD_HAS_NO_ORDER", { gift_card_id: card.id });
  const voided = voidCard(desk, card);
  const refund = makeRefund(desk, order, transaction, card.balance.value, "COMPLETED");
  payBack(desk, { ...order, refunds: [...order.refunds, refund] }, refund);
  return voided;
}

interface Part {
  transaction: OrderTransaction;
  part: number;
  chosen: ReadonlySet<string>;
  card: { id: string; order_id: string } | undefined;
  status: TransactionStatus;
}

function refundPart(desk: Desk, order: Order, { transaction, part, chosen, card, status }: Part): Order {
  const target = card ?? replacementOf(desk, order, transaction, part, status);
  const made = makeRefund(desk, order, transaction, part, status);
  const settlement = target && {
    provider: "SETTLEMENT" as const,
    details: { type: "SETTLEMENT" as const, destination_order_id: target.order_id },
  };
  const whole = chosen.size === order.line_items.length;
  const refund: OrderRefund = { ...made, ...settlement, ...(whole ? {} : { lines: [...chosen] }) };
  const added = { ...order, refunds: [...order.refunds, refund] };
  return status === "COMPLETED" ? payBack(desk, added, refund) : keep(desk, added);
}

function payBack(desk: Desk, order: Order, refund: OrderRefund): Order {
  const takes = (line: OrderLine) => refund.lines === undefined || refund.lines.includes(line.id);
  const weights = order.line_items.map((line) => (takes(line) ? line.captured - line.refunded : 0));
  const split = share(refund.amount.value, weights);
  const line_items = order.line_items.map((line, index) => ({
    ...line,
    refunded: line.refunded + (split[index] ?? 0),
  }));
  const paid = order.transactions.find(({ id }) => id === refund.transaction_id);
  const card =
    paid?.details?.type === "GIFTCARD" && refund.provider === "GIFTCARD" ? paid.details.gift_card_id : undefined;
  if (card) putBackOn(desk, cardOf(desk, card), refund.amount.value);
  const refunded = { ...order, line_items };
  bookRefund(desk, refunded, split, accountOf(refund.provider), card);
  const kept = keep(desk, followRevenue(desk, refunded));
  desk.tell("order.refunded", order.id);
  return kept;
}

function makeRefund(
  desk: Desk,
  order: Order,
  transaction: OrderTransaction,
  amount: number,
  status: TransactionStatus,
): OrderRefund {
  const provider = transaction.provider === "INTEGRATION" ? "UNKNOWN" : transaction.provider;
  return {
    id: desk.newId(),
    status,
    provider,
    amount: price(amount, order.currency),
    transaction_id: transaction.id,
    created_at: desk.now,
  };
}

/** A card that can't take its money back is replaced by a new one. */
function replacementOf(
  desk: Desk,
  order: Order,
  { details }: OrderTransaction,
  amount: number,
  status: TransactionStatus,
) {
  if (details?.type !== "GIFTCARD" || status !== "COMPLETED") return undefined;
  const card = cardOf(desk, details.gift_card_id ?? "");
  return card.status === "ACTIVE" ? undefined : cardForRefund(desk, order, amount);
}

/** A gift card bought with a refund: its order is paid by SETTLEMENT and names the order the money came from. */
function cardForRefund(desk: Desk, order: Order, amount: number): { id: string; order_id: string } {
  const id = desk.newId();
  const bought = sellCard(desk, { id, value: amount, currency: order.currency, customer: order.customer });
  const details = { type: "SETTLEMENT" as const, origin_order_id: order.id };
  pay(desk, bought.order, { provider: "SETTLEMENT", details });
  return { id, order_id: bought.order.id };
}

interface SaleOfCard {
  id: string;
  value: number;
  currency: string;
  customer: Order["customer"];
  code?: string;
  expires_at?: string;
  metadata?: Record<string, string>;
}

/** The order for a gift card, and the card; paying for it is the caller's. */
export function sellCard(
  desk: Desk,
  { id, value, currency, customer, metadata, ...wish }: SaleOfCard,
): { order: Order; card: GiftCard } {
  const details = { type: "GIFTCARD", gift_card_id: id } as OrderLine["details"];
  const line = makeLine(desk, currency, {
    product_type: "GIFTCARD",
    product_id: id,
    quantity: 1,
    unit: value,
    details,
  });
  const origin = { type: "GIFTCARD", id } as Order["origin"];
  const order = makeOrder(desk, {
    origin,
    customer,
    currency,
    lines: [line],
    status: "COMPLETED",
    ...(metadata ? { metadata } : {}),
  });
  const card = makeCard(desk, { id, value, currency, order_id: order.id, ...wish, ...(metadata ? { metadata } : {}) });
  return { order, card };
}

/** A ticket's lines; with the last of them the fee goes too. */
function linesOfTicket(order: Order, ticketId: string): OrderLine[] {
  const own = order.line_items.filter(({ details }) => details.ticket_id === ticketId);
  if (own.length === 0) refuse("TICKET_OF_OTHER_ORDER", { ticket_id: ticketId, order_id: order.id });
  const others = order.line_items.filter((line) => !isFee(line) && line.details.ticket_id !== ticketId);
  return heldOn(others) > 0 ? own : [...own, ...order.line_items.filter(isFee)];
}

function heldOn(lines: readonly OrderLine[]): number {
  return sum(lines.map((line) => line.captured - line.refunded));
}

/** Pays back all the money that can go back, or nothing when there is none. */
export function refundAll(desk: Desk, order: Order, to: RefundWish["to"] = "payment_method"): Order {
  const open = sum(refundable(desk, order, to).map((transaction) => openToRefund(order, transaction)));
  return Math.min(open, moneyHeld(order)) > 0 ? refundOrder(desk, order, { to }) : order;
}

/** Whether an integration's money goes back at all is a guess (assumption: refund-of-integration). */
function refundable(desk: Desk, order: Order, to: RefundWish["to"]): OrderTransaction[] {
  const leaveOut = to !== "gift_card" && desk.assumes("refund-of-integration") === "none";
  return order.transactions.filter(({ provider }) => !(leaveOut && provider === "INTEGRATION"));
}
