// The order behind a booking: made with it, paid, and ended with it. Assumptions: booking-money, booking-fee, order-transitions,
// cancel-keeps-money.

import { optional } from "../../../platform/optional.ts";
import { orderById } from "../kernel/lookups.ts";
import type { Booking, BookingFee, Experience, Order, OrderLine, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, orderStates, transactionStates } from "../kernel/transitions.ts";
import { followRevenue } from "../money/ledger.ts";
import { makeOrder, openToPay, sumHeld } from "../money/order.ts";
import { type DiscountInput, discounted, toFeeLine, toLines } from "../money/order-line.ts";
import { type PaymentInput, pay, saveOrder } from "../money/payment.ts";
import { returnMoney } from "../money/refund.ts";
import { getOffers } from "./basket.ts";

/** Every booking has one; a booking that was moved on names the order that its successor took over. */
export function orderOf(tx: Transaction, booking: Booking): Order {
  return orderById(tx, booking.order_id);
}

interface OrderParts {
  experience: Experience;
  booking: Booking;
  tickets: readonly Ticket[];
  discounts: readonly DiscountInput[];
  fee: BookingFee | undefined;
  status: "PENDING" | "COMPLETED";
}

/** Makes the order of a new booking. Discounts apply in the order given, each to what the one before has left. */
export function orderFor(tx: Transaction, { experience, booking, tickets, discounts, fee, status }: OrderParts): Order {
  const offers = getOffers(experience);
  const plain = tickets.flatMap((ticket) => toLines(tx, experience, offers, ticket));
  const off = (lines: OrderLine[], discount: DiscountInput) => discounted(tx, lines, discount);
  const lines = discounts.reduce(off, plain);
  return makeOrder(tx, {
    origin: { type: "BOOKING", id: booking.id },
    customer: booking.customer,
    // All lines have one currency (experience-currency), so the first one tells.
    currency: plain[0]?.unit_price.currency ?? "",
    // After the discounts: the fee is never discounted.
    lines: fee ? [...lines, toFeeLine(tx, experience, fee)] : lines,
    status,
    ...optional({ metadata: booking.metadata }),
  });
}

/**
 * Records payments in order; a payment of the open amount does nothing when none is open. `isNew`: the order is gone
 * again when one of them is refused.
 */
export function payAll(tx: Transaction, order: Order, payments: readonly PaymentInput[], isNew = false): Order {
  // One by one, since each payment of "what is open" depends on those before.
  return payments.reduce((open, payment) => {
    const idle = payment.amount === undefined && openToPay(open) === 0;
    return idle ? open : pay(tx, open, payment, isNew);
  }, order);
}

/** `amount` in minor units. A gift card is made through a SETTLEMENT order. */
export type RefundChoice = { refund: "full" | "none" | "gift_card" } | { refund: "amount"; amount: number };

/** Ends an order with its booking: pending payments are cancelled, the others are refunded as chosen. */
export function endOrder(tx: Transaction, order: Order, choice: RefundChoice): Order {
  const transactions = order.transactions.map((each) =>
    each.status === "INITIATED"
      ? { ...each, status: move(transactionStates, each.id, each.status, "CANCELLED") }
      : each,
  );
  // Before the money goes back: what is earned depends on whether the order is called off.
  const status = move(orderStates, order.id, order.status, "CANCELLED");
  const ended = saveOrder(tx, followRevenue(tx, { ...order, status, transactions }));
  tx.emit("order.cancelled", order.id);
  const settled = payBack(tx, ended, choice);
  // What the host keeps is earned with the event, or at once where it will not take place.
  return tx.assumes("cancel-keeps-money") === "at-event-end" && canProceed(tx, order) ? settled : earn(tx, settled);
}

/**
 * The money that an order holds is earned from now on: it was delivered for, or nothing more will be. Does nothing a
 * second time.
 */
export function earn(tx: Transaction, order: Order): Order {
  // Never earned twice. An order that is called off and holds nothing has nothing to earn.
  if (order.earned_at || (order.status === "CANCELLED" && sumHeld(order) === 0)) return order;
  return saveOrder(tx, followRevenue(tx, { ...order, earned_at: tx.now }));
}

/** Whether its event is still to come to its end. */
function canProceed(tx: Transaction, { origin }: Order): boolean {
  const event = tx.events.get(tx.bookings.get(origin.id)?.event_id ?? "");
  return event !== undefined && !event.deleted_at && (event.state === "ACTIVE" || event.state === "INACTIVE");
}

function payBack(tx: Transaction, order: Order, choice: RefundChoice): Order {
  if (choice.refund === "none") return order;
  if (choice.refund === "amount") return returnMoney(tx, order, "payment_method", choice.amount);
  return returnMoney(tx, order, choice.refund === "full" ? "payment_method" : "gift_card");
}
