// Cancelling a booking: its tickets are void, its seats free, and its money goes where the host says. Heading "Booking status";
// assumptions: booking-transitions, cancel-keeps-money, lock-released.
import { endOrder, orderOf, type RefundChoice } from "./booking-order.ts";
import { dropCheckout } from "./checkout.ts";
import type { Desk } from "./desk.ts";
import type { Booking } from "./records.ts";
import { endTickets, releaseLock } from "./tickets.ts";
import { booking as cycle, move } from "./transitions.ts";

/** A checkout that is cancelled was abandoned: no guest was promised anything yet. */
export function cancelBooking(desk: Desk, booking: Booking, choice: RefundChoice): Booking {
  if (booking.status === "PROCESSING") return dropCheckout(desk, booking, "ABANDONED", choice);
  const status = move(cycle, booking.id, booking.status, "CANCELLED");
  const cancelled: Booking = { ...booking, status, updated_at: desk.now };
  desk.bookings.put(cancelled);
  endTickets(desk, booking);
  desk.tell("booking.cancelled", booking.id);
  releaseLock(desk, booking);
  endOrder(desk, orderOf(desk, booking), choice);
  return cancelled;
}
