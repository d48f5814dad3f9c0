// Guests arriving: a ticket is checked in, the check-in undone, a ticket voided; the booking follows its tickets.
// Headings "Ticket status", "Booking status"; assumptions: tickets, booking-transitions.

import { loadBooking } from "../kernel/lookups.ts";
import type { Booking, CheckIn, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, move, ticketStates } from "../kernel/transitions.ts";
import { mergeItems } from "./basket.ts";
import { getTickets, listLiveTickets, release } from "./tickets.ts";

/** ACTIVE to CHECKED_IN; rejects with WRONG_STATE otherwise. `by`: who or what checked in, as the request says. */
export function checkIn(tx: Transaction, ticket: Ticket, by: Omit<CheckIn, "check_in_time">): Ticket {
  const status = move(ticketStates, ticket.id, ticket.status, "CHECKED_IN");
  const checked: Ticket = { ...ticket, status, check_in: { check_in_time: tx.now, ...by } };
  tx.tickets.put(checked);
  tx.emit("ticket.checked_in", ticket.id);
  followTickets(tx, ticket);
  return checked;
}

/** Back to ACTIVE. What the check-in said of itself is gone. */
export function undoCheckIn(tx: Transaction, ticket: Ticket): Ticket {
  const undone = undoOf(tx, ticket);
  followTickets(tx, ticket);
  return undone;
}

/**
 * The booking as it is once nobody has arrived; it is not stored or told, since it ends in the same moment. A booking
 * that is checked in has no way to CANCELLED by itself.
 */
export function removeCheckIns(tx: Transaction, booking: Booking): Booking {
  // A booking follows its tickets, so one that is not checked in has no ticket that is.
  if (booking.status !== "CHECKED_IN") return booking;
  for (const ticket of getTickets(tx, booking)) if (ticket.status === "CHECKED_IN") undoOf(tx, ticket);
  return { ...booking, status: "ACTIVE" };
}

function undoOf(tx: Transaction, ticket: Ticket): Ticket {
  const { check_in: _, ...rest } = ticket;
  const undone: Ticket = { ...rest, status: move(ticketStates, ticket.id, ticket.status, "ACTIVE") };
  tx.tickets.put(undone);
  tx.emit("ticket.check_in_undone", ticket.id);
  return undone;
}

/** Its seats are free again; its money stays until it is refunded. Assumption: tickets-all-voided. */
export function voidTicket(tx: Transaction, ticket: Ticket): Ticket {
  const voided: Ticket = { ...ticket, status: move(ticketStates, ticket.id, ticket.status, "VOIDED") };
  tx.tickets.put(voided);
  // Read after the ticket is stored, so that the items that are left don't count it.
  const booking = readBooking(tx, ticket);
  release(tx, booking, [ticket]);
  // What the booking holds now, for a later change compares with it.
  const items = mergeItems(listLiveTickets(tx, booking).flatMap((left) => left.items));
  tx.bookings.put({ ...booking, items, updated_at: tx.now });
  tx.emit("ticket.voided", ticket.id);
  tx.emit("booking.updated", booking.id);
  return voided;
}

/** CHECKED_IN with the first ticket checked in, ACTIVE when none is any more. */
function followTickets(tx: Transaction, ticket: Ticket): void {
  const booking = readBooking(tx, ticket);
  const arrived = listLiveTickets(tx, booking).some(({ status }) => status === "CHECKED_IN");
  const status = arrived ? "CHECKED_IN" : "ACTIVE";
  // The second guest to arrive moves nothing.
  const next = booking.status === status ? status : move(bookingStates, booking.id, booking.status, status);
  tx.bookings.put({ ...booking, status: next, updated_at: tx.now });
  tx.emit("booking.updated", booking.id);
}

function readBooking(tx: Transaction, ticket: Ticket): Booking {
  return loadBooking(tx, ticket.booking_id);
}
