// GET /v1/bookings/{bookingId}. Heading "Bookings".
import { bookingById } from "../../domain/kernel/lookups.ts";
import { showBooking } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getBooking = read("getBooking", (tx, { path }) => showBooking(bookingById(tx, path.bookingId)));
