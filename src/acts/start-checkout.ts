// A guest begins to check out: the booking is PROCESSING and holds its seats for a while; what is not answered yet can be when it
// is completed. Heading "Booking status"; assumption: required-question.
import { placeBooking } from "../domain/booking/booking.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingInput } from "./booking-input.ts";
import { eventCalled } from "./named.ts";

export const startCheckout = act("startCheckout", (tx, { event_id, ...given }) => {
  const event = eventCalled(tx, event_id);
  const input = bookingInput(tx, event, given, true);
  return bookingAnswer(tx, placeBooking(tx, event, { ...input, must_answer: false, checkout: true }));
});
