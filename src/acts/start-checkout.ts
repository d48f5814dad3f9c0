// A guest begins to check out: the booking is PROCESSING and holds its seats for a while; what is not answered yet can be when it
// is completed. Heading "Booking status"; assumption: required-question.
import { placeBooking } from "../domain/booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingWish } from "./booking-wish.ts";
import { eventCalled } from "./named.ts";

export const startCheckout = act("startCheckout", (desk, { event_id, ...input }) => {
  const event = eventCalled(desk, event_id);
  const wish = bookingWish(desk, event, input, true);
  return bookingAnswer(desk, placeBooking(desk, event, { ...wish, must_answer: false, checkout: true }));
});
