// An order: its totals, and the payment status that follows from the money. Assumptions: money-rounding, order-number,
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
  mustBeIn(currency, lines);
  const line_items = withVat(tx, lines);
  const totals = toTotals(currency, line_items);
  const order: Order = {
    id: tx.newId(),
    // Without gaps within a world, as bookkeepers expect.
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

/** Experiences sell in one currency; a price list that changed its own since, or one of an old world, stops here. */
export function mustBeIn(currency: string, lines: readonly OrderLine[]): void {
  const foreign = lines.find((line) => line.unit_price.currency !== currency);
  if (!foreign) return;
  const what = `${foreign.product_id} is sold in ${foreign.unit_price.currency}, the order is in ${currency}. Book it by itself.`;
  reject("INVALID_ITEM", { path: "body.items", what });
}

/**
 * The order with totals and payment status as its lines and money have them, `at` when it was updated. Both are
 * derived, so no caller sets them.
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
  // A refund outweighs what is still open.
  if (refunded > 0) return refunded >= captured ? "REFUNDED" : "PARTIALLY_REFUNDED";
  // An order of nothing is paid from the start.
  if (captured >= total) return "PAID";
  return captured === 0 ? "UNPAID" : "PARTIALLY_PAID";
}

const sumMoves = (moves: readonly (OrderTransaction | OrderRefund)[], ...states: string[]) =>
  sum(moves.filter(({ status }) => states.includes(status)).map(({ amount }) => amount.value));

/** Minor units that have come in. */
export const getCaptured = (order: Order): number => sumMoves(order.transactions, "COMPLETED");
const getRefunded = (order: Order): number => sumMoves(order.refunds, "COMPLETED");

/** The payments or refunds of an order that are under way, and how they end, as the end of a sentence. */
export function findUnderWay(kind: "payment" | "refund", moves: readonly (OrderTransaction | OrderRefund)[]) {
  const ids = moves.filter(({ status }) => status === "INITIATED").map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const [act, member] = kind === "payment" ? ["payOrder", "transaction_id"] : ["refundOrder", "refund_id"];
  return `${kind} ${ids.join(", ")} is under way; end it by ${act} with its ${member} and a status`;
}

/** What to do about an amount that is too high. */
export const nameLess = (waiting: string | undefined) => `Name at most that${waiting ? `: ${waiting}` : ""}.`;

/** What can still be paid; a payment under way counts as taken. */
export function openToPay(order: Order): number {
  return order.totals.amount.value - sumMoves(order.transactions, "COMPLETED", "INITIATED");
}

/** What is left of one transaction to pay back; a refund under way counts as gone. */
export function openToRefund(order: Order, transaction: OrderTransaction): number {
  if (transaction.status !== "COMPLETED") return 0;
  const back = order.refunds.filter((refund) => refund.transaction_id === transaction.id);
  return transaction.amount.value - sumMoves(back, "COMPLETED", "INITIATED");
}

/** What a line holds of its money that nobody has paid back or is about to: no refund, and no integration by itself. */
export function getHeld(order: Order, line: OrderLine): number {
  const promised = order.refunds
    .filter(({ status }) => status === "INITIATED")
    .map(({ shares }) => shares[line.id] ?? 0);
  return line.captured - line.refunded - sum(promised) - (order.left_to_integration?.[line.id] ?? 0);
}

/** Minor units that came in and did not go back; refunds under way still count. */
export function sumHeld(order: Order): number {
  return sum(order.line_items.map((line) => line.captured - line.refunded));
}
