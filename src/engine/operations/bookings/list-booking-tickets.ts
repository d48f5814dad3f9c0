// GET /v1/bookings/{bookingId}/tickets. Heading "Bookings"; assumption: tickets.

import { ticketsOf } from "../../domain/booking/tickets.ts";
import { found } from "../../domain/kernel/domain-error.ts";
import { showTicket } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const listBookingTickets = read("listBookingTickets", (tx, { path }) => {
  const booking = found(tx.bookings.get(path.bookingId), "booking", path.bookingId);
  return { items: ticketsOf(tx, booking).map((ticket) => showTicket(tx, ticket)) };
});
