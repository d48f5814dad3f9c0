// GET /v1/bookings/{bookingId}/tickets. Heading "Bookings"; assumption: tickets.

import { found } from "../../domain/refusal.ts";
import { showTicket } from "../../domain/shown.ts";
import { ticketsOf } from "../../domain/tickets.ts";
import { read } from "../operation.ts";

export const listBookingTickets = read("listBookingTickets", (desk, { path }) => {
  const booking = found(desk.bookings.get(path.bookingId), "booking", path.bookingId);
  return { items: ticketsOf(desk, booking).map((ticket) => showTicket(desk, ticket)) };
});
