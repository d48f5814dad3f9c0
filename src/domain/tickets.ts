// The tickets of a booking, and the seats and units that they hold on its event. Heading "Ticket"; assumptions:
// tickets, lock-released.

import { withSold } from "./capacity.ts";
import type { Desk } from "./desk.ts";
import { changed } from "./event.ts";
import { sum } from "./money.ts";
import type { Booking, Ticket } from "./records.ts";
import { keepSold } from "./seats.ts";
import type { Sheet } from "./sheets.ts";
import { ticket as cycle, move } from "./transitions.ts";

export function ticketsOf(desk: Desk, booking: Pick<Booking, "id">): Ticket[] {
  return desk.tickets.where("booking", booking.id).sort((a, b) => a.place - b.place);
}

/** The tickets that are still good, checked in or not. */
export function liveTickets(desk: Desk, booking: Pick<Booking, "id">): Ticket[] {
  return ticketsOf(desk, booking).filter(({ status }) => status !== "VOIDED");
}

/** New tickets, one a sheet; keeping them is the caller's. */
export function ticketsFor(desk: Desk, booking: Pick<Booking, "id" | "event_id">, sheets: readonly Sheet[]): Ticket[] {
  const place = ticketsOf(desk, booking).length;
  return sheets.map(({ items, seats }, index) => ({
    id: desk.newId(),
    status: "ACTIVE",
    items,
    seats,
    booking_id: booking.id,
    event_id: booking.event_id,
    place: place + index,
  }));
}

/** Voids every ticket that is still good and gives its units back to the event. */
export function endTickets(desk: Desk, booking: Booking): void {
  const live = liveTickets(desk, booking);
  for (const ticket of live) desk.tickets.put({ ...ticket, status: move(cycle, ticket.id, ticket.status, "VOIDED") });
  giveBack(desk, booking, live);
}

/** What these tickets held is free again: what they hold stands on them, whatever the experience offers by now. */
export function giveBack(desk: Desk, booking: Booking, tickets: readonly Ticket[]): void {
  const event = desk.events.get(booking.event_id);
  if (!event) return;
  const units: Record<string, number> = {};
  for (const { type_id, quantity } of tickets.flatMap((ticket) => ticket.items)) {
    units[type_id] = (units[type_id] ?? 0) + quantity;
  }
  keepSold(desk, withSold(event, { units, seats: sum(tickets.map((ticket) => ticket.seats)) }, -1));
}

/** A booking that ends holds its event no longer, which is told as an unlocking by the host is. */
export function releaseLock(desk: Desk, booking: Booking): void {
  const event = desk.events.get(booking.event_id);
  if (event?.locked_by !== booking.id) return;
  const { locked_by: _, ...open } = event;
  changed(desk, open);
}
