// A guest's checkout: completed, abandoned or lapsed. Meanwhile its booking is PROCESSING. Heading "Booking status";
// assumption: booking-transitions.

import { found } from "../kernel/domain-error.ts";
import type { Booking } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, checkoutStates, move, orderStates } from "../kernel/transitions.ts";
import { type PaymentInput, saveOrder } from "../money/payment.ts";
import { type AnswerInput, mustBeAnswered, readAnswers } from "./answers.ts";
import { endOrder, orderOf, payAll, type RefundChoice } from "./booking-order.ts";
import { getTickets, release } from "./tickets.ts";

/**
 * Confirms a checkout; its tickets come into being, and its order is completed. `given` adds to the answers of the
 * start. Rejects with WRONG_STATE, or INVALID_INPUT while a required answer is missing.
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
  const experience = found(tx.experiences.get(booking.experience_id), "experience", booking.experience_id);
  const answers = readAnswers(experience, tickets, given, booking.answers);
  // Only now: a guest may answer between the start and the end.
  mustBeAnswered(experience, tickets, answers);
  const confirmed: Booking = { ...rest, answers, status, updated_at: tx.now };
  tx.bookings.put(confirmed);
  // Under the ids that they were planned with, which the order's lines name already.
  for (const ticket of tickets) tx.tickets.put(ticket);
  tx.emit("booking.created", booking.id);
  const order = orderOf(tx, booking);
  // Before the payments, which would not count on an order that is not there yet for its guest.
  const completed = saveOrder(tx, { ...order, status: move(orderStates, order.id, order.status, "COMPLETED") });
  payAll(tx, completed, payments);
  return confirmed;
}

/** Ends a checkout that was not completed: its seats are free again, and payments are refunded unless the host decides otherwise. */
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
  // The pending ones: none was ever stored, so nothing else knows what they hold.
  release(tx, booking, tickets);
  endOrder(tx, orderOf(tx, booking), choice);
  tx.emit(end === "LAPSED" ? "booking.lapsed" : "booking.abandoned", booking.id);
  return dropped;
}

function endCheckout(tx: Transaction, booking: Booking, end: "COMPLETED" | "ABANDONED" | "LAPSED"): void {
  move(checkoutStates, booking.id, getState(tx, booking), end);
}

/** A checkout's state is read from its booking: tickets come into being only when it is completed. */
function getState(tx: Transaction, booking: Booking): keyof typeof checkoutStates.moves {
  const { status, lapses_at } = booking;
  if (status === "PROCESSING") return "STARTED";
  if (status !== "CANCELLED" || getTickets(tx, booking).length > 0) return "COMPLETED";
  return lapses_at === undefined ? "ABANDONED" : "LAPSED";
}
