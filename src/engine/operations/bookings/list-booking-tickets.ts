// GET /v1/bookings/{bookingId}/tickets. Heading "Bookings"; assumption: tickets.

import { getTickets } from "../../domain/booking/tickets.ts";
import { loadBooking } from "../../domain/kernel/lookups.ts";
import { showTicket } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const listBookingTickets = read("listBookingTickets", (tx, { path }) => {
  const booking = loadBooking(tx, path.bookingId);
  return { items: getTickets(tx, booking).map((ticket) => showTicket(tx, ticket)) };
});
