// The results of acts: the resource as the public API shows it, and the ids that the caller needs next.

import { getTickets } from "../domain/booking/tickets.ts";
import type { Booking, Key, Order } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { showLines, showOrder, showRefund } from "../domain/money/order-view.ts";
import { showBooking, showTicket } from "../domain/views.ts";
import type { BookingResult, KeyResult, OrderResult } from "./act-types.ts";

/** A booking with the order that carries its money, and its tickets. */
export function toBookingResult(tx: Transaction, booking: Booking): BookingResult {
  const tickets = getTickets(tx, booking).map((ticket) => showTicket(tx, ticket));
  return { ...showBooking(booking), order_id: booking.order_id, tickets };
}

/** An order with the money on it. */
export function orderResult(tx: Transaction, order: Order): OrderResult {
  const { transactions, refunds } = order;
  return {
    ...showOrder(tx, order),
    line_items: showLines(tx, order),
    transactions,
    refunds: refunds.map(showRefund),
  };
}

/** A key without its secret. */
export function toKeyResult({ id, name, scopes, created_at, revoked_at }: Key): KeyResult {
  return { client_id: id, name, scopes, created_at, ...(revoked_at ? { revoked_at } : {}) };
}
