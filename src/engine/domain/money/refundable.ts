// Computes what can be refunded of an order: which lines, which transactions, and how much. Assumptions: posting-rules ("A
// refund of a ticket …"), booking-fee, refund-of-integration.

import { reject } from "../kernel/domain-error.ts";
import type { Order, OrderLine, OrderTransaction } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isFee } from "./ledger.ts";
import { sum } from "./money.ts";
import { computeRefundable, describePending, getHeld } from "./order.ts";
import { getTicketId } from "./order-line.ts";

export type RefundWay = "payment_method" | "gift_card" | undefined;

/** Returns the lines that can be refunded: all, or those of a ticket. The booking-fee assumption may exclude the fee. */
export function getLines(tx: Transaction, order: Order, ticketId?: string): readonly OrderLine[] {
  const lines = ticketId === undefined ? order.line_items : getTicketLines(tx, order, ticketId);
  return tx.assumes("booking-fee") === "never-refunded" ? lines.filter((line) => !isFee(line)) : lines;
}

/** Returns a ticket's lines. The fee is refunded with the last ticket. A free ticket counts while it is valid. */
function getTicketLines(tx: Transaction, order: Order, ticketId: string): OrderLine[] {
  const own = order.line_items.filter((line) => getTicketId(line) === ticketId);
  if (own.length === 0) reject("TICKET_OF_OTHER_ORDER", { ticket_id: ticketId, order_id: order.id });
  // The fee stays while another ticket counts.
  const others = order.line_items.filter((line) => !isFee(line) && getTicketId(line) !== ticketId);
  const isCounted = (line: OrderLine) => getHeld(order, line) > 0 || (line.gross === 0 && isValid(tx, line));
  return others.some(isCounted) ? own : [...own, ...order.line_items.filter(isFee)];
}

function isValid(tx: Transaction, line: OrderLine): boolean {
  const ticket = tx.tickets.get(getTicketId(line) ?? "");
  return ticket !== undefined && ticket.status !== "VOIDED";
}

/** Computes what can be refunded now: no more than these lines hold, nor than the transactions captured. */
export function computeOpenRefund(tx: Transaction, order: Order, lines: readonly OrderLine[], to: RefundWay): number {
  return Math.min(sumHeldOn(order, lines), sumRefundable(order, listRefundableTransactions(tx, order, to)));
}

/**
 * Sums what an integration collected for these lines and refunds itself, without a refund here. Minor units; never
 * negative, because the sum includes what can be refunded here.
 */
export function sumLeftToIntegration(
  tx: Transaction,
  order: Order,
  lines: readonly OrderLine[],
  to: RefundWay,
): number {
  const recorded = computeOpenRefund(tx, order, lines, to);
  return Math.min(sumHeldOn(order, lines), sumRefundable(order, order.transactions)) - recorded;
}

/** Formats the end of the message of NOTHING_TO_REFUND. */
export function explainNoRefund(tx: Transaction, order: Order, lines: readonly OrderLine[]): string {
  const isLeft = lines.some(({ id }) => (order.left_to_integration?.[id] ?? 0) > 0);
  if (isLeft || sumLeftToIntegration(tx, order, lines, "payment_method") > 0)
    return "an integration collected the money and refunds its guest itself (assumption refund-of-integration)";
  return describePendingRefunds(order, lines) ?? "it holds no captured money that is not refunded yet";
}

/** Describes the pending refunds of these lines and how to end them. */
export function describePendingRefunds({ refunds }: Order, lines: readonly OrderLine[]): string | undefined {
  return describePending(
    "refund",
    refunds.filter(({ shares }) => lines.some(({ id }) => (shares[id] ?? 0) > 0)),
  );
}

function sumHeldOn(order: Order, lines: readonly OrderLine[]): number {
  return sum(lines.map((line) => getHeld(order, line)));
}

function sumRefundable(order: Order, transactions: readonly OrderTransaction[]): number {
  return sum(transactions.map((transaction) => computeRefundable(order, transaction)));
}

/** An integration's money may not be refundable here (assumption: refund-of-integration). */
export function listRefundableTransactions(tx: Transaction, order: Order, to: RefundWay): OrderTransaction[] {
  const leaveOut = to !== "gift_card" && tx.assumes("refund-of-integration") === "none";
  return order.transactions.filter(({ provider }) => !(leaveOut && provider === "INTEGRATION"));
}
