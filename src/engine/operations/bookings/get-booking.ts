// GET /v1/bookings/{bookingId}. Heading "Bookings".
import { loadBooking } from "../../domain/kernel/lookups.ts";
import { showBooking } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getBooking = read("getBooking", (tx, { path }) => showBooking(loadBooking(tx, path.bookingId)));
