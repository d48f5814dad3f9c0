// Completes a guest's checkout, or ends it as abandoned or lapsed. Its booking is PROCESSING before. Heading "Booking
// status"; assumption: booking-transitions.

import { mustExist } from "../kernel/domain-error.ts";
import type { Booking } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, checkoutStates, move, orderStates } from "../kernel/transitions.ts";
import { type PaymentInput, saveOrder } from "../money/payment.ts";
import { type AnswerInput, mustBeAnswered, readAnswers } from "./answers.ts";
import { endOrder, getOrder, payAll, type RefundChoice } from "./booking-order.ts";
import { getTickets, release } from "./tickets.ts";

/**
 * Confirms a checkout: stores its tickets and completes its order. `given` adds to the answers from the start of the
 * checkout. Rejects with WRONG_STATE, or INVALID_INPUT while a required answer is missing.
 */
export function completeCheckout(
  tx: Transaction,
  booking: Booking,
  payments: readonly PaymentInput[],
  given: readonly AnswerInput[] = [],
): Booking {
  endCheckout(tx, booking, "COMPLETED");
  const { lapses_at: _, pending_tickets: tickets = [], ...rest } = booking;
  const status = move(bookingStates, booking.id, booking.status, "ACTIVE");
  const experience = mustExist(tx.experiences.get(booking.experience_id), "experience", booking.experience_id);
  const answers = readAnswers(experience, tickets, given, booking.answers);
  // Required answers are checked only now: a guest may answer between the start and the end.
  mustBeAnswered(experience, tickets, answers);
  const confirmed: Booking = { ...rest, answers, status, updated_at: tx.now };
  tx.bookings.put(confirmed);
  // The tickets keep the ids that they were planned with, because the order's lines name them.
  for (const ticket of tickets) tx.tickets.put(ticket);
  tx.emit("booking.created", booking.id);
  const order = getOrder(tx, booking);
  // The order is completed first, because payments do not count on a pending order.
  const completed = saveOrder(tx, { ...order, status: move(orderStates, order.id, order.status, "COMPLETED") });
  payAll(tx, completed, payments);
  return confirmed;
}

/** Ends a checkout that was not completed: frees its seats and refunds payments, unless the host decides otherwise. */
export function dropCheckout(
  tx: Transaction,
  booking: Booking,
  end: "ABANDONED" | "LAPSED",
  choice: RefundChoice = { refund: "full" },
): Booking {
  endCheckout(tx, booking, end);
  const { lapses_at: _, pending_tickets: tickets = [], ...rest } = booking;
  const status = move(bookingStates, booking.id, booking.status, "CANCELLED");
  const dropped: Booking = { ...rest, status, updated_at: tx.now, ...(end === "LAPSED" ? { lapses_at: tx.now } : {}) };
  tx.bookings.put(dropped);
  // The pending tickets were never stored, so no other record knows what they hold.
  release(tx, booking, tickets);
  endOrder(tx, getOrder(tx, booking), choice);
  tx.emit(end === "LAPSED" ? "booking.lapsed" : "booking.abandoned", booking.id);
  return dropped;
}

function endCheckout(tx: Transaction, booking: Booking, end: "COMPLETED" | "ABANDONED" | "LAPSED"): void {
  move(checkoutStates, booking.id, getCheckoutState(tx, booking), end);
}

/** The state of a checkout follows from its booking: tickets are stored only when the checkout is completed. */
function getCheckoutState(tx: Transaction, booking: Booking): keyof typeof checkoutStates.moves {
  const { status, lapses_at } = booking;
  if (status === "PROCESSING") return "STARTED";
  if (status !== "CANCELLED" || getTickets(tx, booking).length > 0) return "COMPLETED";
  return lapses_at === undefined ? "ABANDONED" : "LAPSED";
}
