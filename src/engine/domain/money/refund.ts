// Refunds money to its payment method, or as a gift card through a SETTLEMENT order. Assumptions: refund, refund-to-card,
// refund-of-integration, posting-rules ("REFUND mirrors SALE …"). Heading "Order": SettlementRefundDetails.

import { type CardSale, sellForRefund } from "../gift-card/card-sale.ts";
import { canRestore, putBackOnCard } from "../gift-card/gift-card.ts";
import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import type { GiftCard, Order, OrderRefund, OrderTransaction, TransactionStatus } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, refundStates } from "../kernel/transitions.ts";
import { bookRefund, followRevenue } from "./ledger.ts";
import { price, share } from "./money.ts";
import { computeRefundable, formatLimitAdvice, getHeld } from "./order.ts";
import { getAccount, getCard, saveOrder } from "./payment.ts";
import {
  computeOpenRefund,
  describePendingRefunds,
  explainNoRefund,
  getLines,
  listRefundableTransactions,
  type RefundWay,
  sumLeftToIntegration,
} from "./refundable.ts";

interface RefundInput {
  /** The amount in minor units. The default is all that is left (of the ticket, when one is named). */
  amount?: number;
  ticket_id?: string;
  to?: RefundWay;
  status?: TransactionStatus;
}

/**
 * Refunds from the first transaction on. Returns the order afterwards. Rejects with GIFT_CARD_ORDER,
 * NOTHING_TO_REFUND or AMOUNT_TOO_HIGH.
 */
export function refundOrder(tx: Transaction, order: Order, input: RefundInput): Order {
  const { id, origin } = order;
  const isCards = origin.type === "GIFTCARD" && { order_id: id };
  must(tx, "GIFT_CARD_ORDER", isCards, () => `order ${id} is of a ${origin.type}`);
  const lines = getLines(tx, order, input.ticket_id);
  const open = computeOpenRefund(tx, order, lines, input.to);
  const nothing = open === 0 && { order_id: id, why: explainNoRefund(tx, order, lines) };
  must(tx, "NOTHING_TO_REFUND", nothing, () => `${open} can be refunded`);
  const amount = input.amount ?? open;
  const tooHigh = amount > open && {
    amount,
    open,
    of: `order ${id}`,
    todo: formatLimitAdvice(describePendingRefunds(order, lines)),
  };
  must(tx, "AMOUNT_TOO_HIGH", tooHigh, () => `${amount} of the ${open} that can be refunded`);
  const status = input.status ?? "COMPLETED";
  const asCard = input.to === "gift_card";
  // A single card is created for the whole amount, even if several transactions are refunded.
  const sale = asCard && status === "COMPLETED" ? sellForRefund(tx, order, amount) : undefined;
  const chosen = new Set(lines.map(({ id }) => id));
  let left = amount;
  let refunded = order;
  for (const transaction of listRefundableTransactions(tx, order, input.to)) {
    const part = Math.min(left, computeRefundable(refunded, transaction));
    if (part === 0) continue;
    left -= part;
    // Each part takes from what the parts before have left.
    const takes = refunded.line_items.map((line) => (chosen.has(line.id) ? getHeld(refunded, line) : 0));
    const refund = makeRefund(tx, refunded, transaction, { amount: part, status, weights: takes, asCard });
    const added = { ...refunded, refunds: [...refunded.refunds, refund] };
    // A pending refund is promised, so its money is not earned any more.
    refunded =
      status === "COMPLETED"
        ? payBack(tx, added, refund, sale)
        : saveOrder(tx, followRevenue(tx, added, { kind: "refund", id: refund.id }));
  }
  return refunded;
}

/**
 * Refunds an amount (default: all) of a cancelled order. What only its integration can refund is recorded on the order.
 * Rejects with AMOUNT_TOO_HIGH.
 */
export function returnMoney(tx: Transaction, order: Order, to: RefundWay, wanted?: number): Order {
  const lines = getLines(tx, order);
  const [own, others] = [computeOpenRefund(tx, order, lines, to), sumLeftToIntegration(tx, order, lines, to)];
  const amount = wanted ?? own + others;
  if (amount > own + others) {
    const todo = formatLimitAdvice(describePendingRefunds(order, lines));
    reject("AMOUNT_TOO_HIGH", { amount, open: own + others, of: `order ${order.id}`, todo });
  }
  // Nothing to refund is no error here, because a free booking can end as well.
  const refunded = own === 0 || amount === 0 ? order : refundOrder(tx, order, { to, amount: Math.min(own, amount) });
  return amount > own ? leaveToIntegration(tx, refunded, amount - own) : refunded;
}

function leaveToIntegration(tx: Transaction, order: Order, amount: number): Order {
  const chosen = new Set(getLines(tx, order).map(({ id }) => id));
  const weights = order.line_items.map((line) => (chosen.has(line.id) ? getHeld(order, line) : 0));
  const split = share(amount, weights);
  const left_to_integration = Object.fromEntries(order.line_items.map(({ id }, index) => [id, split[index] ?? 0]));
  return saveOrder(tx, followRevenue(tx, { ...order, left_to_integration }));
}

/** Ends a pending refund. Rejects with TRANSACTION_NOT_FOUND or WRONG_STATE. */
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
  /** The largest amount that each line can give. */
  weights: readonly number[];
  asCard?: boolean;
}

/** Creates a refund, split over the lines by their weights. The caller stores it. */
export function makeRefund(tx: Transaction, order: Order, paid: OrderTransaction, parts: RefundParts): OrderRefund {
  const { amount, status, weights, asCard = false } = parts;
  const split = share(amount, weights);
  const card = findPayingCard(tx, paid);
  // A card that can't take the money is replaced by a new card.
  const asNewCard = asCard || (card !== undefined && !canRestore(tx, card, amount));
  // The sandbox does not know how an integration refunds the money.
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
 * Moves the money of a refund: lines, journal, and the card that receives it. `made` is a card that was sold for
 * several refunds together.
 */
export function payBack(tx: Transaction, order: Order, refund: OrderRefund, made?: CardSale): Order {
  const paid = order.transactions.find(({ id }) => id === refund.transaction_id);
  const card = refund.provider === "GIFTCARD" ? findPayingCard(tx, paid) : undefined;
  // If the card ended or was filled while the refund was pending, a new card receives the money.
  const lost = card !== undefined && !canRestore(tx, card, refund.amount.value);
  const asCard = refund.provider === "SETTLEMENT" || lost;
  const sale = asCard ? (made ?? sellForRefund(tx, order, refund.amount.value)) : undefined;
  const back = card && !asCard ? putBackOnCard(tx, card, refund.amount.value) : undefined;
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

/** Finds the card that a payment was made with. */
function findPayingCard(tx: Transaction, paid: OrderTransaction | undefined): GiftCard | undefined {
  return paid?.details?.type === "GIFTCARD" ? getCard(tx, paid.details.gift_card_id) : undefined;
}
