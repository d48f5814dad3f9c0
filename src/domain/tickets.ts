// The tickets of a booking, and the seats and units that they hold on its event. Heading "Ticket"; assumptions:
// tickets, lock-released.
import type { Desk } from "./desk.ts";
import { changed } from "./event.ts";
import type { Booking, Ticket } from "./records.ts";
import { keepSold } from "./seats.ts";
import type { Sheet } from "./sheets.ts";
import { unsold } from "./sold.ts";
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
  return sheets.map(({ items, seats, resources_used }, index) => ({
    id: desk.newId(),
    status: "ACTIVE",
    items,
    seats,
    resources_used,
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

/** What these tickets held is free again. */
export function giveBack(desk: Desk, booking: Booking, tickets: readonly Ticket[]): void {
  const event = desk.events.get(booking.event_id);
  if (event) keepSold(desk, unsold(desk, event, tickets));
}

/** A booking that ends holds its event no longer, which is told as an unlocking by the host is. */
export function releaseLock(desk: Desk, booking: Booking): void {
  const event = desk.events.get(booking.event_id);
  if (event?.locked_by !== booking.id) return;
  const { locked_by: _, ...open } = event;
  changed(desk, open);
}
