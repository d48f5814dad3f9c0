// What acts answer with: the resource as the public sees it, and beside it the ids that the caller will want next.
import type { Desk } from "../domain/desk.ts";
import type { Booking, Experience, Key, Order } from "../domain/records.ts";
import { showBooking, showTicket } from "../domain/shown.ts";
import { showExperience } from "../domain/shown-catalogue.ts";
import { showLines, showOrder, showRefund } from "../domain/shown-order.ts";
import { ticketsOf } from "../domain/tickets.ts";

/** A booking with the order that carries its money, and its tickets. */
export function bookingAnswer(desk: Desk, booking: Booking): object {
  const tickets = ticketsOf(desk, booking).map((ticket) => showTicket(desk, ticket));
  return { ...showBooking(booking), order_id: booking.order_id, tickets };
}

/** An order with the money on it. */
export function orderAnswer(desk: Desk, order: Order): object {
  const { transactions, refunds } = order;
  return {
    ...showOrder(desk, order),
    line_items: showLines(desk, order),
    transactions,
    refunds: refunds.map(showRefund),
  };
}

/** An experience in the storefront's first language. */
export function experienceAnswer(desk: Desk, experience: Experience): object {
  const storefront = desk.company.get("company")?.languages ?? [];
  return showExperience(desk, experience, { language: storefront[0] ?? "en", storefront });
}

/** A key without its secret. */
export function keyAnswer({ id, name, scopes, created_at, revoked_at }: Key): object {
  return { client_id: id, name, scopes, created_at, ...(revoked_at ? { revoked_at } : {}) };
}
