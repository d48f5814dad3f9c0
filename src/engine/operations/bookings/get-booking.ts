// GET /v1/bookings/{bookingId}. Heading "Bookings".
import { found } from "../../domain/kernel/domain-error.ts";
import { showBooking } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getBooking = read("getBooking", (tx, { path }) =>
  showBooking(found(tx.bookings.get(path.bookingId), "booking", path.bookingId)),
);
