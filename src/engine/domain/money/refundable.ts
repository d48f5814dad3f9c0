// What of an order can be paid back: which lines give, which transactions, and how much. Assumptions: posting-rules ("A refund of a
// ticket …"), booking-fee, refund-of-integration.

import { reject } from "../kernel/domain-error.ts";
import type { Order, OrderLine, OrderTransaction } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isFee } from "./ledger.ts";
import { sum } from "./money.ts";
import { findUnderWay, getHeld, openToRefund } from "./order.ts";
import { getTicketId } from "./order-line.ts";

export type RefundWay = "payment_method" | "gift_card" | undefined;

/** The lines whose money may go back: all, or those of a ticket; the fee never, when that is assumed. */
export function getLines(tx: Transaction, order: Order, ticketId?: string): readonly OrderLine[] {
  const lines = ticketId === undefined ? order.line_items : getTicketLines(tx, order, ticketId);
  return tx.assumes("booking-fee") === "never-refunded" ? lines.filter((line) => !isFee(line)) : lines;
}

/** A ticket's lines; with the last of them the fee goes too. A ticket that cost nothing counts while it is valid. */
function getTicketLines(tx: Transaction, order: Order, ticketId: string): OrderLine[] {
  const own = order.line_items.filter((line) => getTicketId(line) === ticketId);
  if (own.length === 0) reject("TICKET_OF_OTHER_ORDER", { ticket_id: ticketId, order_id: order.id });
  // While another ticket counts, the fee is still needed.
  const others = order.line_items.filter((line) => !isFee(line) && getTicketId(line) !== ticketId);
  const isCounted = (line: OrderLine) => getHeld(order, line) > 0 || (line.gross === 0 && isValid(tx, line));
  return others.some(isCounted) ? own : [...own, ...order.line_items.filter(isFee)];
}

function isValid(tx: Transaction, line: OrderLine): boolean {
  const ticket = tx.tickets.get(getTicketId(line) ?? "");
  return ticket !== undefined && ticket.status !== "VOIDED";
}

/** What can go back now: no more than these lines hold, nor than the transactions took. */
export function openOf(tx: Transaction, order: Order, lines: readonly OrderLine[], to: RefundWay): number {
  return Math.min(sumHeldOn(order, lines), sumAllOpen(order, getRefundable(tx, order, to)));
}

/**
 * What of these lines an integration collected and pays back itself, without a refund here. Minor units, never
 * negative: what can be recorded is part of it.
 */
export function sumLeftToIntegration(
  tx: Transaction,
  order: Order,
  lines: readonly OrderLine[],
  to: RefundWay,
): number {
  const recorded = openOf(tx, order, lines, to);
  return Math.min(sumHeldOn(order, lines), sumAllOpen(order, order.transactions)) - recorded;
}

/** The end of the sentence of NOTHING_TO_REFUND. */
export function whyNothing(tx: Transaction, order: Order, lines: readonly OrderLine[]): string {
  const isLeft = lines.some(({ id }) => (order.left_to_integration?.[id] ?? 0) > 0);
  if (isLeft || sumLeftToIntegration(tx, order, lines, "payment_method") > 0)
    return "an integration collected the money and pays its guest back itself (assumption refund-of-integration)";
  return findPending(order, lines) ?? "it holds no captured money that is not refunded already";
}

/** Which refunds of these lines are under way, and how they end. */
export function findPending({ refunds }: Order, lines: readonly OrderLine[]): string | undefined {
  return findUnderWay(
    "refund",
    refunds.filter(({ shares }) => lines.some(({ id }) => (shares[id] ?? 0) > 0)),
  );
}

function sumHeldOn(order: Order, lines: readonly OrderLine[]): number {
  return sum(lines.map((line) => getHeld(order, line)));
}

function sumAllOpen(order: Order, transactions: readonly OrderTransaction[]): number {
  return sum(transactions.map((transaction) => openToRefund(order, transaction)));
}

/** Whether an integration's money goes back at all is a guess (assumption: refund-of-integration). */
export function getRefundable(tx: Transaction, order: Order, to: RefundWay): OrderTransaction[] {
  const leaveOut = to !== "gift_card" && tx.assumes("refund-of-integration") === "none";
  return order.transactions.filter(({ provider }) => !(leaveOut && provider === "INTEGRATION"));
}
