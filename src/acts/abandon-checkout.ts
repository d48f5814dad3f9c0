// A guest leaves the checkout; its seats are free again. Assumption: booking-transitions.
import { dropCheckout } from "../domain/booking/checkout.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled } from "./named.ts";

export const abandonCheckout = act("abandonCheckout", (tx, { booking_id }) =>
  bookingAnswer(tx, dropCheckout(tx, bookingCalled(tx, booking_id), "ABANDONED")),
);
