// GET /v1/bookings/{bookingId}/tickets. Heading "Bookings"; assumption: tickets.

import { ticketsOf } from "../../domain/booking/tickets.ts";
import { bookingById } from "../../domain/kernel/lookups.ts";
import { showTicket } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const listBookingTickets = read("listBookingTickets", (tx, { path }) => {
  const booking = bookingById(tx, path.bookingId);
  return { items: ticketsOf(tx, booking).map((ticket) => showTicket(tx, ticket)) };
});
