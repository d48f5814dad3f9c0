// Money back: to the method it was paid with, or as a gift card through a SETTLEMENT order. Assumptions: refund, refund-to-card,
// refund-of-integration, posting-rules ("REFUND mirrors SALE …"). Heading "Order": SettlementRefundDetails.

import { type CardSale, sellForRefund } from "../gift-card/card-sale.ts";
import { canRestore, putBackOn } from "../gift-card/gift-card.ts";
import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import type { GiftCard, Order, OrderRefund, OrderTransaction, TransactionStatus } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, refundStates } from "../kernel/transitions.ts";
import { bookRefund, followRevenue } from "./ledger.ts";
import { price, share } from "./money.ts";
import { getHeld, nameLess, openToRefund } from "./order.ts";
import { getAccount, getCard, saveOrder } from "./payment.ts";
import {
  findPending,
  getLines,
  getRefundable,
  openOf,
  type RefundWay,
  sumLeftToIntegration,
  whyNothing,
} from "./refundable.ts";

interface RefundInput {
  /** Minor units; default: all that is left (of the ticket, when one is named). */
  amount?: number;
  ticket_id?: string;
  to?: RefundWay;
  status?: TransactionStatus;
}

/**
 * Pays back, from the first transaction on; answers the order as it stands then. Rejects with GIFT_CARD_ORDER,
 * NOTHING_TO_REFUND or AMOUNT_TOO_HIGH.
 */
export function refundOrder(tx: Transaction, order: Order, input: RefundInput): Order {
  const { id, origin } = order;
  const isCards = origin.type === "GIFTCARD" && { order_id: id };
  must(tx, "GIFT_CARD_ORDER", isCards, () => `order ${id} is of a ${origin.type}`);
  const lines = getLines(tx, order, input.ticket_id);
  const open = openOf(tx, order, lines, input.to);
  const nothing = open === 0 && { order_id: id, why: whyNothing(tx, order, lines) };
  must(tx, "NOTHING_TO_REFUND", nothing, () => `${open} can be paid back`);
  const amount = input.amount ?? open;
  const tooHigh = amount > open && { amount, open, of: `order ${id}`, todo: nameLess(findPending(order, lines)) };
  must(tx, "AMOUNT_TOO_HIGH", tooHigh, () => `${amount} of the ${open} that can be paid back`);
  const status = input.status ?? "COMPLETED";
  const asCard = input.to === "gift_card";
  // One card for the whole amount, though it may come out of several transactions.
  const sale = asCard && status === "COMPLETED" ? sellForRefund(tx, order, amount) : undefined;
  const chosen = new Set(lines.map(({ id }) => id));
  let left = amount;
  let refunded = order;
  for (const transaction of getRefundable(tx, order, input.to)) {
    const part = Math.min(left, openToRefund(refunded, transaction));
    if (part === 0) continue;
    left -= part;
    // From what the parts before have left.
    const takes = refunded.line_items.map((line) => (chosen.has(line.id) ? getHeld(refunded, line) : 0));
    const refund = makeRefund(tx, refunded, transaction, { amount: part, status, weights: takes, asCard });
    const added = { ...refunded, refunds: [...refunded.refunds, refund] };
    refunded =
      status === "COMPLETED"
        ? payBack(tx, added, refund, sale)
        : // Under way it is promised, so it is not earned any more.
          saveOrder(tx, followRevenue(tx, added, { kind: "refund", id: refund.id }));
  }
  return refunded;
}

/**
 * Refunds an amount (default: all) of a cancelled order. What only its integration can refund is recorded on the order.
 * Rejects with AMOUNT_TOO_HIGH.
 */
export function returnMoney(tx: Transaction, order: Order, to: RefundWay, wanted?: number): Order {
  const lines = getLines(tx, order);
  const [own, others] = [openOf(tx, order, lines, to), sumLeftToIntegration(tx, order, lines, to)];
  const amount = wanted ?? own + others;
  if (amount > own + others) {
    const todo = nameLess(findPending(order, lines));
    reject("AMOUNT_TOO_HIGH", { amount, open: own + others, of: `order ${order.id}`, todo });
  }
  // Nothing to refund is no error here: a free booking ends as well.
  const refunded = own === 0 || amount === 0 ? order : refundOrder(tx, order, { to, amount: Math.min(own, amount) });
  return amount > own ? leave(tx, refunded, amount - own) : refunded;
}

function leave(tx: Transaction, order: Order, amount: number): Order {
  const chosen = new Set(getLines(tx, order).map(({ id }) => id));
  const weights = order.line_items.map((line) => (chosen.has(line.id) ? getHeld(order, line) : 0));
  const split = share(amount, weights);
  const left_to_integration = Object.fromEntries(order.line_items.map(({ id }, index) => [id, split[index] ?? 0]));
  return saveOrder(tx, followRevenue(tx, { ...order, left_to_integration }));
}

/** Ends a refund under way. Rejects with TRANSACTION_NOT_FOUND or WRONG_STATE. */
export function endRefund(tx: Transaction, order: Order, refundId: string, status: TransactionStatus): Order {
  const known = order.refunds.find(({ id }) => id === refundId);
  if (!known) return reject("TRANSACTION_NOT_FOUND", { order_id: order.id, kind: "refund", id: refundId });
  const ended = { ...known, status: move(refundStates, known.id, known.status, status) as TransactionStatus };
  const next = withRefund(order, ended);
  if (status === "COMPLETED") return payBack(tx, next, ended);
  return saveOrder(tx, followRevenue(tx, next, { kind: "refund", id: refundId }));
}

interface RefundParts {
  amount: number;
  status: TransactionStatus;
  /** What each line could give. */
  weights: readonly number[];
  asCard?: boolean;
}

/** Over the lines by what each could give; stores nothing. */
export function makeRefund(tx: Transaction, order: Order, paid: OrderTransaction, parts: RefundParts): OrderRefund {
  const { amount, status, weights, asCard = false } = parts;
  const split = share(amount, weights);
  const card = findPayingCard(tx, paid);
  // A card that can't take it back now never can, or is full, so a new one will.
  const asNewCard = asCard || (card !== undefined && !canRestore(tx, card, amount));
  // Who pays it back is not known to us.
  const same = paid.provider === "INTEGRATION" ? "UNKNOWN" : paid.provider;
  return {
    id: tx.newId(),
    status,
    provider: asNewCard ? "SETTLEMENT" : same,
    amount: price(amount, order.currency),
    transaction_id: paid.id,
    created_at: tx.now,
    shares: Object.fromEntries(order.line_items.map((line, index) => [line.id, split[index] ?? 0])),
  };
}

/**
 * Moves the money of a refund: lines, journal, and the card that takes it, if one does. `made`: a card that was sold
 * for several refunds together.
 */
export function payBack(tx: Transaction, order: Order, refund: OrderRefund, made?: CardSale): Order {
  const paid = order.transactions.find(({ id }) => id === refund.transaction_id);
  const card = refund.provider === "GIFTCARD" ? findPayingCard(tx, paid) : undefined;
  // The card may have ended or been filled while the refund was under way; then a new one takes the money.
  const lost = card !== undefined && !canRestore(tx, card, refund.amount.value);
  const asCard = refund.provider === "SETTLEMENT" || lost;
  const sale = asCard ? (made ?? sellForRefund(tx, order, refund.amount.value)) : undefined;
  const back = card && !asCard ? putBackOn(tx, card, refund.amount.value) : undefined;
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
  const cause = { kind: "refund", id: settled.id } as const;
  bookRefund(tx, refunded, { split, account: getAccount(settled.provider), cause, card: back?.id });
  const saved = saveOrder(tx, followRevenue(tx, refunded, cause));
  tx.emit("order.refunded", order.id);
  return saved;
}

function withRefund(order: Order, refund: OrderRefund): Order {
  return { ...order, refunds: order.refunds.map((each) => (each.id === refund.id ? refund : each)) };
}

/** The card that a payment was made with. */
function findPayingCard(tx: Transaction, paid: OrderTransaction | undefined): GiftCard | undefined {
  return paid?.details?.type === "GIFTCARD" ? getCard(tx, paid.details.gift_card_id) : undefined;
}
