// Computes an order's totals, and the payment status that follows from its money. Assumptions: money-rounding, order-number,
// order-transitions, payment-transitions.

import { reject } from "../kernel/domain-error.ts";
import type { Instant } from "../kernel/instant.ts";
import type { Customer, Metadata, Order, OrderLine, OrderRefund, OrderTransaction } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { price, sum } from "./money.ts";
import { withVat } from "./order-line.ts";

interface OrderInput {
  origin: Order["origin"];
  customer: Customer;
  currency: string;
  lines: OrderLine[];
  status: "PENDING" | "COMPLETED";
  metadata?: Metadata;
}

/** Creates an order without payments. */
export function makeOrder(tx: Transaction, { origin, customer, currency, lines, status, metadata }: OrderInput): Order {
  mustHaveCurrency(currency, lines);
  const line_items = withVat(tx, lines);
  const totals = toTotals(currency, line_items);
  const order: Order = {
    id: tx.newId(),
    // Numbers have no gaps within a world, as accounting requires.
    number: String(tx.nextNumber("orders")),
    status,
    payment_status: getPaymentStatus(totals.amount.value, 0, 0),
    created_at: tx.now,
    updated_at: tx.now,
    customer,
    origin,
    totals,
    ...(metadata ? { metadata } : {}),
    currency,
    line_items,
    transactions: [],
    refunds: [],
  };
  tx.orders.put(order);
  tx.emit("order.created", order.id);
  return order;
}

/** Rejects lines in another currency. It occurs when an experience changed its currency, or in an old world. */
export function mustHaveCurrency(currency: string, lines: readonly OrderLine[]): void {
  const foreign = lines.find((line) => line.unit_price.currency !== currency);
  if (!foreign) return;
  const what = `${foreign.product_id} is sold in ${foreign.unit_price.currency}, the order is in ${currency}. Book it separately.`;
  reject("INVALID_ITEM", { path: "body.items", what });
}

/**
 * Returns the order with totals and payment status derived from its lines and money, so no caller sets them. `at` is
 * the time of the update.
 */
export function settle(order: Order, at: Instant): Order {
  const totals = toTotals(order.currency, order.line_items);
  const payment_status = getPaymentStatus(totals.amount.value, getCaptured(order), getRefunded(order));
  return { ...order, totals, payment_status, updated_at: at };
}

function toTotals(currency: string, lines: readonly OrderLine[]): Order["totals"] {
  return {
    discount: price(sum(lines.flatMap((line) => line.discounts.map(({ amount }) => amount.value))), currency),
    vat_amount: price(sum(lines.map((line) => line.vat)), currency),
    amount: price(sum(lines.map((line) => line.gross)), currency),
  };
}

function getPaymentStatus(total: number, captured: number, refunded: number): Order["payment_status"] {
  // A refund counts more than an open amount.
  if (refunded > 0) return refunded >= captured ? "REFUNDED" : "PARTIALLY_REFUNDED";
  // An order without costs is paid from the start.
  if (captured >= total) return "PAID";
  return captured === 0 ? "UNPAID" : "PARTIALLY_PAID";
}

const sumMoves = (moves: readonly (OrderTransaction | OrderRefund)[], ...states: string[]) =>
  sum(moves.filter(({ status }) => states.includes(status)).map(({ amount }) => amount.value));

/** Sums the captured money in minor units. */
export const getCaptured = (order: Order): number => sumMoves(order.transactions, "COMPLETED");
const getRefunded = (order: Order): number => sumMoves(order.refunds, "COMPLETED");

/** Describes pending payments or refunds of an order and how to end them, as the end of a sentence. */
export function describePending(kind: "payment" | "refund", moves: readonly (OrderTransaction | OrderRefund)[]) {
  const ids = moves.filter(({ status }) => status === "INITIATED").map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const [act, member] = kind === "payment" ? ["payOrder", "transaction_id"] : ["refundOrder", "refund_id"];
  return `${kind} ${ids.join(", ")} is pending; end it with ${act} using its ${member} and a status`;
}

/** Formats the advice for an amount that is too high. */
export const formatLimitAdvice = (waiting: string | undefined) =>
  `Request at most that amount${waiting ? `: ${waiting}` : ""}.`;

/** Computes what can still be paid; a pending payment counts as paid. */
export function computeOpenAmount(order: Order): number {
  return order.totals.amount.value - sumMoves(order.transactions, "COMPLETED", "INITIATED");
}

/** Computes what can still be refunded of a transaction; a pending refund counts as refunded. */
export function computeRefundable(order: Order, transaction: OrderTransaction): number {
  if (transaction.status !== "COMPLETED") return 0;
  const back = order.refunds.filter((refund) => refund.transaction_id === transaction.id);
  return transaction.amount.value - sumMoves(back, "COMPLETED", "INITIATED");
}

/** Computes the money of a line that is not refunded, not in a pending refund, and not left to an integration. */
export function getHeld(order: Order, line: OrderLine): number {
  const promised = order.refunds
    .filter(({ status }) => status === "INITIATED")
    .map(({ shares }) => shares[line.id] ?? 0);
  return line.captured - line.refunded - sum(promised) - (order.left_to_integration?.[line.id] ?? 0);
}

/** Sums captured money that was not refunded, in minor units. Pending refunds are not subtracted. */
export function sumHeld(order: Order): number {
  return sum(order.line_items.map((line) => line.captured - line.refunded));
}
