// A host books for a guest: unpaid, part-paid or paid, by any provider, with discounts, a fee or a gift card. Headings "Bookings"
// and "Order".
import { placeBooking } from "../domain/booking/booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingInput } from "./booking-input.ts";
import { eventCalled } from "./named.ts";

export const bookAsHost = act("bookAsHost", (tx, { event_id, ...input }) => {
  const event = eventCalled(tx, event_id);
  return bookingAnswer(tx, placeBooking(tx, event, bookingInput(tx, event, input, false)));
});
