// Creates, pays and ends the order of a booking. Assumptions: booking-money, booking-fee, order-transitions,
// cancel-keeps-money.

import { optional } from "../../../platform/optional.ts";
import { loadOrder } from "../kernel/lookups.ts";
import type { Booking, BookingFee, Experience, Order, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, orderStates, transactionStates } from "../kernel/transitions.ts";
import { followRevenue } from "../money/ledger.ts";
import { computeOpenAmount, makeOrder, sumHeld } from "../money/order.ts";
import { applyDiscount, type DiscountInput, toFeeLine, toLines } from "../money/order-line.ts";
import { type PaymentInput, pay, saveOrder } from "../money/payment.ts";
import { returnMoney } from "../money/refund.ts";
import { getOffers } from "./basket.ts";

/** Every booking has an order. A moved booking names the order that its successor took over. */
export function getOrder(tx: Transaction, booking: Booking): Order {
  return loadOrder(tx, booking.order_id);
}

interface OrderParts {
  experience: Experience;
  booking: Booking;
  tickets: readonly Ticket[];
  discounts: readonly DiscountInput[];
  fee: BookingFee | undefined;
  status: "PENDING" | "COMPLETED";
}

/** Creates the order of a new booking. Each discount applies to the amount that the previous one left. */
export function createOrder(
  tx: Transaction,
  { experience, booking, tickets, discounts, fee, status }: OrderParts,
): Order {
  const offers = getOffers(experience);
  const plain = tickets.flatMap((ticket) => toLines(tx, experience, offers, ticket));
  const lines = discounts.reduce((discounted, discount) => applyDiscount(tx, discounted, discount), plain);
  return makeOrder(tx, {
    origin: { type: "BOOKING", id: booking.id },
    customer: booking.customer,
    // All lines have one currency (experience-currency), so the first line decides.
    currency: plain[0]?.unit_price.currency ?? "",
    // The fee is added after the discounts, because it is never discounted.
    lines: fee ? [...lines, toFeeLine(tx, experience, fee)] : lines,
    status,
    ...optional({ metadata: booking.metadata }),
  });
}

/**
 * Records payments in order. A payment without an amount does nothing when no amount is open. `isNew`: a rejected
 * payment undoes the order.
 */
export function payAll(tx: Transaction, order: Order, payments: readonly PaymentInput[], isNew = false): Order {
  // Payments are recorded one by one, because the open amount depends on the payments before.
  return payments.reduce((open, payment) => {
    const idle = payment.amount === undefined && computeOpenAmount(open) === 0;
    return idle ? open : pay(tx, open, payment, isNew);
  }, order);
}

/** `amount` is in minor units. A gift card is created through a SETTLEMENT order. */
export type RefundChoice = { refund: "full" | "none" | "gift_card" } | { refund: "amount"; amount: number };

/** Ends an order with its booking: pending payments are cancelled, the others are refunded as chosen. */
export function endOrder(tx: Transaction, order: Order, choice: RefundChoice): Order {
  const transactions = order.transactions.map((each) =>
    each.status === "INITIATED"
      ? { ...each, status: move(transactionStates, each.id, each.status, "CANCELLED") }
      : each,
  );
  // The order is cancelled before the refund, because what is earned depends on its status.
  const status = move(orderStates, order.id, order.status, "CANCELLED");
  const ended = saveOrder(tx, followRevenue(tx, { ...order, status, transactions }));
  tx.emit("order.cancelled", order.id);
  const settled = refundAsChosen(tx, ended, choice);
  // The host earns the money it keeps when the event ends, or at once if the event will not take place.
  return tx.assumes("cancel-keeps-money") === "at-event-end" && canProceed(tx, order) ? settled : earn(tx, settled);
}

/** Marks the money of an order as earned from now on. A second call has no effect. */
export function earn(tx: Transaction, order: Order): Order {
  // An order is earned only once. A cancelled order that holds no money has nothing to earn.
  if (order.earned_at || (order.status === "CANCELLED" && sumHeld(order) === 0)) return order;
  return saveOrder(tx, followRevenue(tx, { ...order, earned_at: tx.now }));
}

/** Whether the event of the order has neither ended nor been called off. */
function canProceed(tx: Transaction, { origin }: Order): boolean {
  const event = tx.events.get(tx.bookings.get(origin.id)?.event_id ?? "");
  return event !== undefined && !event.deleted_at && (event.state === "ACTIVE" || event.state === "INACTIVE");
}

function refundAsChosen(tx: Transaction, order: Order, choice: RefundChoice): Order {
  if (choice.refund === "none") return order;
  if (choice.refund === "amount") return returnMoney(tx, order, "payment_method", choice.amount);
  return returnMoney(tx, order, choice.refund === "full" ? "payment_method" : "gift_card");
}
