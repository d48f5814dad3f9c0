// The order behind a booking: made with it, paid, and ended with it. Assumptions: booking-money, booking-fee, order-transitions,
// cancel-keeps-money.
import { offersOf } from "./basket.ts";
import type { Desk } from "./desk.ts";
import { followRevenue } from "./ledger.ts";
import { optional } from "./optional.ts";
import { makeOrder, moneyHeld, openToPay } from "./order.ts";
import { type DiscountWish, discounted, feeLine, ticketLines } from "./order-line.ts";
import { keep, type PaymentWish, pay } from "./payment.ts";
import type { Booking, BookingFee, Experience, Order, OrderLine, Ticket } from "./records.ts";
import { returnMoney } from "./refund.ts";
import { found } from "./refusal.ts";
import { order as cycle, move, transaction as transactionCycle } from "./transitions.ts";

export function orderOf(desk: Desk, booking: Booking): Order {
  return found(desk.orders.get(booking.order_id), "order", booking.order_id);
}

interface OrderParts {
  experience: Experience;
  booking: Booking;
  tickets: readonly Ticket[];
  discounts: readonly DiscountWish[];
  fee: BookingFee | undefined;
  status: "PENDING" | "COMPLETED";
}

export function orderFor(desk: Desk, { experience, booking, tickets, discounts, fee, status }: OrderParts): Order {
  const offers = offersOf(experience);
  const plain = tickets.flatMap((ticket) => ticketLines(desk, experience, offers, ticket.id, ticket.items));
  const off = (lines: OrderLine[], discount: DiscountWish) => discounted(desk, lines, discount);
  const lines = discounts.reduce(off, plain);
  return makeOrder(desk, {
    origin: { type: "BOOKING", id: booking.id },
    customer: booking.customer,
    currency: plain[0]?.unit_price.currency ?? "",
    lines: fee ? [...lines, feeLine(desk, experience, fee)] : lines,
    status,
    ...optional({ metadata: booking.metadata }),
  });
}

/** Payments in their order; one that only wants what is open has nothing to do when nothing is. */
export function payAll(desk: Desk, order: Order, payments: readonly PaymentWish[]): Order {
  return payments.reduce((open, payment) => {
    const idle = payment.amount === undefined && openToPay(open) === 0;
    return idle ? open : pay(desk, open, payment);
  }, order);
}

export type RefundChoice = { refund: "full" | "none" | "gift_card" } | { refund: "amount"; amount: number };

/** Ends an order with its booking: payments under way are called off, the rest goes back as chosen. */
export function endOrder(desk: Desk, order: Order, choice: RefundChoice): Order {
  const transactions = order.transactions.map((each) =>
    each.status === "INITIATED" ? { ...each, status: move(transactionCycle, each.id, each.status, "CANCELLED") } : each,
  );
  const status = move(cycle, order.id, order.status, "CANCELLED");
  const ended = keep(desk, followRevenue(desk, { ...order, status, transactions }));
  desk.tell("order.cancelled", order.id);
  const settled = payBack(desk, ended, choice);
  return desk.assumes("cancel-keeps-money") === "at-event-end" && takesPlace(desk, order)
    ? settled
    : earn(desk, settled);
}

/** The money that an order holds is earned from now on: it was delivered for, or nothing more will be. */
export function earn(desk: Desk, order: Order): Order {
  if (order.earned_at || (order.status === "CANCELLED" && moneyHeld(order) === 0)) return order;
  return keep(desk, followRevenue(desk, { ...order, earned_at: desk.now }));
}

/** Whether its event is still to come to its end. */
function takesPlace(desk: Desk, { origin }: Order): boolean {
  const event = desk.events.get(desk.bookings.get(origin.id)?.event_id ?? "");
  return event !== undefined && !event.deleted_at && (event.state === "ACTIVE" || event.state === "INACTIVE");
}

function payBack(desk: Desk, order: Order, choice: RefundChoice): Order {
  if (choice.refund === "none") return order;
  if (choice.refund === "amount") return returnMoney(desk, order, "payment_method", choice.amount);
  return returnMoney(desk, order, choice.refund === "full" ? "payment_method" : "gift_card");
}
