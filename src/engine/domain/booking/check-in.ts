// Checks tickets in, undoes check-ins and voids tickets; the booking follows its tickets. Headings "Ticket status", "Booking
// status"; assumptions: tickets, booking-transitions.

import { loadBooking } from "../kernel/lookups.ts";
import type { Booking, CheckIn, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { bookingStates, move, ticketStates } from "../kernel/transitions.ts";
import { mergeItems } from "./basket.ts";
import { getTickets, listLiveTickets, release } from "./tickets.ts";

/** Moves a ticket from ACTIVE to CHECKED_IN, or rejects with WRONG_STATE. `by` says who or what checked in. */
export function checkIn(tx: Transaction, ticket: Ticket, by: Omit<CheckIn, "check_in_time">): Ticket {
  const status = move(ticketStates, ticket.id, ticket.status, "CHECKED_IN");
  const checked: Ticket = { ...ticket, status, check_in: { check_in_time: tx.now, ...by } };
  tx.tickets.put(checked);
  tx.emit("ticket.checked_in", ticket.id);
  followTickets(tx, ticket);
  return checked;
}

/** Moves a ticket back to ACTIVE and deletes the details of the check-in. */
export function undoCheckIn(tx: Transaction, ticket: Ticket): Ticket {
  const undone = revertCheckIn(tx, ticket);
  followTickets(tx, ticket);
  return undone;
}

/**
 * Undoes the check-ins of a booking that is about to be cancelled, because CHECKED_IN has no transition to
 * CANCELLED. The returned booking is neither stored nor announced, because it ends in the same transaction.
 */
export function removeCheckIns(tx: Transaction, booking: Booking): Booking {
  // A booking follows its tickets, so a booking that is not checked in has no checked-in ticket.
  if (booking.status !== "CHECKED_IN") return booking;
  for (const ticket of getTickets(tx, booking)) if (ticket.status === "CHECKED_IN") revertCheckIn(tx, ticket);
  return { ...booking, status: "ACTIVE" };
}

function revertCheckIn(tx: Transaction, ticket: Ticket): Ticket {
  const { check_in: _, ...rest } = ticket;
  const undone: Ticket = { ...rest, status: move(ticketStates, ticket.id, ticket.status, "ACTIVE") };
  tx.tickets.put(undone);
  tx.emit("ticket.check_in_undone", ticket.id);
  return undone;
}

/** Frees the seats of the ticket. Its money stays until it is refunded. Assumption: tickets-all-voided. */
export function voidTicket(tx: Transaction, ticket: Ticket): Ticket {
  const voided: Ticket = { ...ticket, status: move(ticketStates, ticket.id, ticket.status, "VOIDED") };
  tx.tickets.put(voided);
  // The booking is read after the ticket is stored, so that the remaining items don't include this ticket.
  const booking = readBooking(tx, ticket);
  release(tx, booking, [ticket]);
  // A later change of the booking compares with the items that remain.
  const items = mergeItems(listLiveTickets(tx, booking).flatMap((left) => left.items));
  tx.bookings.put({ ...booking, items, updated_at: tx.now });
  tx.emit("ticket.voided", ticket.id);
  tx.emit("booking.updated", booking.id);
  return voided;
}

/** Sets the booking to CHECKED_IN when its first ticket is checked in, and back to ACTIVE when none is. */
function followTickets(tx: Transaction, ticket: Ticket): void {
  const booking = readBooking(tx, ticket);
  const arrived = listLiveTickets(tx, booking).some(({ status }) => status === "CHECKED_IN");
  const status = arrived ? "CHECKED_IN" : "ACTIVE";
  // The second check-in does not change the status of the booking.
  const next = booking.status === status ? status : move(bookingStates, booking.id, booking.status, status);
  tx.bookings.put({ ...booking, status: next, updated_at: tx.now });
  tx.emit("booking.updated", booking.id);
}

function readBooking(tx: Transaction, ticket: Ticket): Booking {
  return loadBooking(tx, ticket.booking_id);
}
