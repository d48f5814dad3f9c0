// A booking goes to another event of its experience; the answer is the new one. Assumption: booking-move.
import { moveBooking as move } from "../domain/booking/move-booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled, eventCalled } from "./named.ts";

export const moveBooking = act("moveBooking", (tx, { booking_id, event_id }) =>
  bookingAnswer(tx, move(tx, bookingCalled(tx, booking_id), eventCalled(tx, event_id))),
);
