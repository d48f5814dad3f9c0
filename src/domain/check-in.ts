// Guests arriving: a ticket is checked in, the check-in undone, a ticket voided; the booking follows its tickets.
// Headings "Ticket status", "Booking status"; assumptions: tickets, booking-transitions.
import { mergeItems } from "./basket.ts";
import type { Desk } from "./desk.ts";
import type { Booking, CheckIn, Ticket } from "./records.ts";
import { found } from "./refusal.ts";
import { giveBack, liveTickets } from "./tickets.ts";
import { booking as bookingCycle, ticket as cycle, move } from "./transitions.ts";

export function checkIn(desk: Desk, ticket: Ticket, by: Omit<CheckIn, "check_in_time">): Ticket {
  const status = move(cycle, ticket.id, ticket.status, "CHECKED_IN");
  const checked: Ticket = { ...ticket, status, check_in: { check_in_time: desk.now, ...by } };
  desk.tickets.put(checked);
  desk.tell("ticket.checked_in", ticket.id);
  followTickets(desk, ticket);
  return checked;
}

export function undoCheckIn(desk: Desk, ticket: Ticket): Ticket {
  const { check_in: _, ...rest } = ticket;
  const status = move(cycle, ticket.id, ticket.status, "ACTIVE");
  const undone: Ticket = { ...rest, status };
  desk.tickets.put(undone);
  desk.tell("ticket.check_in_undone", ticket.id);
  followTickets(desk, ticket);
  return undone;
}

/** Its seats are free again; its money stays until it is refunded. */
export function voidTicket(desk: Desk, ticket: Ticket): Ticket {
  const voided: Ticket = { ...ticket, status: move(cycle, ticket.id, ticket.status, "VOIDED") };
  desk.tickets.put(voided);
  const booking = bookingOf(desk, ticket);
  giveBack(desk, booking, [ticket]);
  const items = mergeItems(liveTickets(desk, booking).flatMap((left) => left.items));
  desk.bookings.put({ ...booking, items, updated_at: desk.now });
  desk.tell("ticket.voided", ticket.id);
  desk.tell("booking.updated", booking.id);
  return voided;
}

/** CHECKED_IN with the first ticket checked in, ACTIVE when none is any more. */
function followTickets(desk: Desk, ticket: Ticket): void {
  const booking = bookingOf(desk, ticket);
  const arrived = liveTickets(desk, booking).some(({ status }) => status === "CHECKED_IN");
  const status = arrived ? "CHECKED_IN" : "ACTIVE";
  const next = booking.status === status ? status : move(bookingCycle, booking.id, booking.status, status);
  desk.bookings.put({ ...booking, status: next, updated_at: desk.now });
  desk.tell("booking.updated", booking.id);
}

function bookingOf(desk: Desk, ticket: Ticket): Booking {
  return found(desk.bookings.get(ticket.booking_id), "booking", ticket.booking_id);
}
