// Creates and voids the tickets of a booking, with the seats and units that they hold on its event. Heading "Ticket";
// assumptions: tickets, lock-released.

import { markChanged } from "../event/event.ts";
import { keepSold } from "../event/seats.ts";
import { releaseTickets } from "../event/sold.ts";
import type { Booking, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, ticketStates } from "../kernel/transitions.ts";
import type { PlannedTicket } from "./ticket-plan.ts";

export function getTickets(tx: Transaction, booking: Pick<Booking, "id">): Ticket[] {
  return tx.tickets.where("booking", booking.id).sort((a, b) => a.place - b.place);
}

/** Lists the tickets that are not voided. */
export function listLiveTickets(tx: Transaction, booking: Pick<Booking, "id">): Ticket[] {
  return getTickets(tx, booking).filter(({ status }) => status !== "VOIDED");
}

/** Creates one ticket per planned ticket, numbered after those that the booking has (`before`). The caller saves them. */
export function addTickets(
  tx: Transaction,
  booking: Pick<Booking, "id" | "event_id">,
  plan: readonly PlannedTicket[],
  before = 0,
): Ticket[] {
  return plan.map(({ items, seats, resources_used }, index) => ({
    id: tx.newId(),
    status: "ACTIVE",
    items,
    seats,
    resources_used,
    booking_id: booking.id,
    event_id: booking.event_id,
    place: before + index,
  }));
}

/** Voids every ticket that is still valid and gives its units back to the event. */
export function endTickets(tx: Transaction, booking: Booking): void {
  const live = listLiveTickets(tx, booking);
  for (const ticket of live)
    tx.tickets.put({ ...ticket, status: move(ticketStates, ticket.id, ticket.status, "VOIDED") });
  release(tx, booking, live);
}

/** Gives the seats and units of these tickets back to the event. */
export function release(tx: Transaction, booking: Booking, tickets: readonly Ticket[]): void {
  const event = tx.events.get(booking.event_id);
  if (event) keepSold(tx, releaseTickets(tx, event, tickets));
}

/** A booking that ends unlocks its event; the fact is the same as when the host unlocks it. */
export function releaseLock(tx: Transaction, booking: Booking): void {
  const event = tx.events.get(booking.event_id);
  if (event?.locked_by !== booking.id) return;
  const { locked_by: _, ...open } = event;
  markChanged(tx, open);
}
