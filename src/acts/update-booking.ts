// A booking says something else of itself, or grows. Assumption: availability-shape (only the holder of a locked event may grow).
import { updateBooking as update } from "../domain/update-booking.ts";
import { bookingCalled, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const updateBooking = act("updateBooking", (desk, { booking_id, ...change }) =>
  withOrder(update(desk, bookingCalled(desk, booking_id), change as never)));
