// GET /v1/bookings/{bookingId}. Heading "Bookings".
import { found } from "../../domain/refusal.ts";
import { showBooking } from "../../domain/shown.ts";
import { read } from "../operation.ts";

export const getBooking = read("getBooking", (desk, { path }) =>
  showBooking(found(desk.bookings.get(path.bookingId), "booking", path.bookingId)),
);
