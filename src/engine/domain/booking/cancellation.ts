// Cancels a booking: voids its tickets, frees its seats and refunds its money as the host chose. Heading "Booking status";
// assumptions: booking-transitions, cancel-keeps-money, lock-released.

import type { Booking } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, move } from "../kernel/transitions.ts";
import { endOrder, getOrder, type RefundChoice } from "./booking-order.ts";
import { dropCheckout } from "./checkout.ts";
import { endTickets, releaseLock } from "./tickets.ts";

/** A checkout that is cancelled was abandoned: no guest was promised anything yet. */
export function cancelBooking(tx: Transaction, booking: Booking, choice: RefundChoice): Booking {
  if (booking.status === "PROCESSING") return dropCheckout(tx, booking, "ABANDONED", choice);
  const status = move(bookingStates, booking.id, booking.status, "CANCELLED");
  const cancelled: Booking = { ...booking, status, updated_at: tx.now };
  tx.bookings.put(cancelled);
  endTickets(tx, booking);
  tx.emit("booking.cancelled", booking.id);
  releaseLock(tx, booking);
  endOrder(tx, getOrder(tx, booking), choice);
  return cancelled;
}
