// A host books for a guest: unpaid, part-paid or paid, by any provider, with discounts, a fee or a gift card. Headings "Bookings"
// and "Order".
import { placeBooking } from "../domain/booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingWish } from "./booking-wish.ts";
import { eventCalled } from "./named.ts";

export const bookAsHost = act("bookAsHost", (desk, { event_id, ...input }) => {
  const event = eventCalled(desk, event_id);
  return bookingAnswer(desk, placeBooking(desk, event, bookingWish(desk, event, input, false)));
});
