// A guest leaves the checkout; its seats are free again. Assumption: booking-transitions.
import { dropCheckout } from "../domain/checkout.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled } from "./named.ts";

export const abandonCheckout = act("abandonCheckout", (desk, { booking_id }) =>
  bookingAnswer(desk, dropCheckout(desk, bookingCalled(desk, booking_id), "ABANDONED")),
);
