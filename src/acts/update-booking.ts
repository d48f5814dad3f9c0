// A booking says something else of itself, or grows. Assumption: availability-shape (only the holder of a locked event may grow).
import { updateBooking as update } from "../domain/booking/update-booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled } from "./named.ts";

export const updateBooking = act("updateBooking", (tx, { booking_id, ...change }) =>
  bookingAnswer(tx, update(tx, bookingCalled(tx, booking_id), change)),
);
