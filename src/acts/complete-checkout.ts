// A guest completes the checkout: its tickets are made, its order is completed. Without payments it is paid in full through the
// platform; an empty list leaves it unpaid. Assumptions: booking-transitions, order-transitions.
import { completeCheckout as complete } from "../domain/booking/checkout.ts";
import { act } from "./act.ts";
import { bookingAnswer } from "./answers.ts";
import { paymentsOf } from "./booking-input.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const completeCheckout = act("completeCheckout", (tx, { booking_id, payments = [{}], answers = [] }) => {
  const booking = bookingCalled(tx, booking_id);
  const { currency } = orderCalled(tx, booking.order_id);
  return bookingAnswer(tx, complete(tx, booking, paymentsOf(payments, currency), answers));
});
