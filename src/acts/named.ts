// What acts name by id, and how they show what became of it. A deleted event counts as unknown.
import type { Desk } from "../domain/desk.ts";
import { type Instant, readInstant } from "../domain/instant.ts";
import { cardOf } from "../domain/payment.ts";
import type { Booking, GiftCard, Order, ScheduledEvent, Ticket } from "../domain/records.ts";
import { found, refuse } from "../domain/refusal.ts";
import { showBooking, showLine, showOrder, showRefund } from "../domain/shown.ts";

export function eventCalled(desk: Desk, id: string): ScheduledEvent {
  const event = desk.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}

export function bookingCalled(desk: Desk, id: string): Booking {
  return found(desk.bookings.get(id), "booking", id);
}

export function ticketCalled(desk: Desk, id: string): Ticket {
  return found(desk.tickets.get(id), "ticket", id);
}

export function cardCalled(desk: Desk, idOrCode: string): GiftCard {
  return cardOf(desk, idOrCode);
}

export function currencyOfOrder(desk: Desk, id: string): string {
  return found(desk.orders.get(id), "order", id).currency;
}

export function instantOf(text: string, place: string): Instant {
  return readInstant(text) ?? refuse("INVALID_INPUT", { place, what: `${text} is not an instant such as 2030-06-01T09:00:00Z.` });
}

/** A booking, and the order that carries its money. */
export function withOrder(booking: Booking): object {
  return { ...showBooking(booking), order_id: booking.order_id };
}

/** An order with the money on it. */
export function showMoney(order: Order): object {
  const { line_items, transactions, refunds } = order;
  return { ...showOrder(order), line_items: line_items.map(showLine), transactions, refunds: refunds.map(showRefund) };
}
