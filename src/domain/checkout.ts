// A guest's checkout: completed, or come to nothing. While it lasts its booking is PROCESSING. Heading "Booking status";
// assumption: booking-transitions.
import { type AnswerWish, answersOf, mustBeAnswered } from "./answers.ts";
import { endOrder, orderOf, payAll, type RefundChoice } from "./booking-order.ts";
import type { Desk } from "./desk.ts";
import { keep, type PaymentWish } from "./payment.ts";
import type { Booking } from "./records.ts";
import { found } from "./refusal.ts";
import { giveBack } from "./tickets.ts";
import { booking as bookingCycle, checkout as cycle, move, order as orderCycle } from "./transitions.ts";

/** Confirms a checkout; its tickets come into being, and its order is completed. */
export function completeCheckout(
  desk: Desk,
  booking: Booking,
  payments: readonly PaymentWish[],
  given: readonly AnswerWish[] = [],
): Booking {
  endCheckout(booking, "COMPLETED");
  const { lapses_at: _, pending_tickets: tickets = [], ...kept } = booking;
  const status = move(bookingCycle, booking.id, booking.status, "ACTIVE");
  const experience = found(desk.experiences.get(booking.experience_id), "experience", booking.experience_id);
  const answers = answersOf(experience, tickets, given, booking.answers);
  mustBeAnswered(experience, tickets, answers);
  const confirmed: Booking = { ...kept, answers, status, updated_at: desk.now };
  desk.bookings.put(confirmed);
  for (const ticket of tickets) desk.tickets.put(ticket);
  desk.tell("booking.created", booking.id);
  const order = orderOf(desk, booking);
  const completed = keep(desk, { ...order, status: move(orderCycle, order.id, order.status, "COMPLETED") });
  payAll(desk, completed, payments);
  return confirmed;
}

/** Ends a checkout that came to nothing: the seats are free again, and what was paid already goes back, unless the host says otherwise. */
export function dropCheckout(
  desk: Desk,
  booking: Booking,
  end: "ABANDONED" | "LAPSED",
  choice: RefundChoice = { refund: "full" },
): Booking {
  endCheckout(booking, end);
  const { lapses_at: _, pending_tickets: tickets = [], ...kept } = booking;
  const status = move(bookingCycle, booking.id, booking.status, "CANCELLED");
  const dropped: Booking = { ...kept, status, updated_at: desk.now };
  desk.bookings.put(dropped);
  giveBack(desk, booking, tickets);
  endOrder(desk, orderOf(desk, booking), choice);
  desk.tell(end === "LAPSED" ? "booking.lapsed" : "booking.abandoned", booking.id);
  return dropped;
}

/** A checkout's state is read from its booking. */
function endCheckout({ id, status }: Booking, end: "COMPLETED" | "ABANDONED" | "LAPSED"): void {
  const state = status === "PROCESSING" ? "STARTED" : status === "CANCELLED" ? "ABANDONED" : "COMPLETED";
  move(cycle, id, state, end);
}
