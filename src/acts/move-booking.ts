// A booking goes to another event of its experience; the answer is the new one. Assumption: booking-move.
import { moveBooking as move } from "../domain/move-booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled, eventCalled } from "./named.ts";

export const moveBooking = act("moveBooking", (desk, { booking_id, event_id }) =>
  bookingAnswer(desk, move(desk, bookingCalled(desk, booking_id), eventCalled(desk, event_id))),
);
