// A booking goes to another event of its experience. Assumption: booking-move.
import { moveBooking as move } from "../domain/move-booking.ts";
import { bookingCalled, eventCalled, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const moveBooking = act("moveBooking", (desk, { booking_id, event_id }) =>
  withOrder(move(desk, bookingCalled(desk, booking_id), eventCalled(desk, event_id))));
