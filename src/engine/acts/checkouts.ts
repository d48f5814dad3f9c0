// Acts of a guest's checkout: its booking is PROCESSING and holds its seats for a while. Heading "Booking status"; assumption:
// booking-transitions.
import { placeBooking } from "../domain/booking/booking.ts";
import { completeCheckout, dropCheckout } from "../domain/booking/checkout.ts";
import { bookingById, eventById, orderById } from "../domain/kernel/lookups.ts";
import { act } from "./act.ts";
import { bookingInput, paymentsOf } from "./booking-input.ts";
import { bookingResult } from "./results.ts";

export const checkoutActs = [
  // A required question may be answered on completion. Assumption: required-question.
  act("startCheckout", (tx, { event_id, ...rest }) => {
    const event = eventById(tx, event_id);
    const input = bookingInput(tx, event, rest, true);
    return bookingResult(tx, placeBooking(tx, event, { ...input, must_answer: false, checkout: true }));
  }),

  // Makes the tickets and completes the order. Without `payments` it is paid in full through the platform; an empty list leaves it
  // unpaid. Assumption: order-transitions.
  act("completeCheckout", (tx, { booking_id, payments = [{}], answers = [] }) => {
    const booking = bookingById(tx, booking_id);
    const { currency } = orderById(tx, booking.order_id);
    return bookingResult(tx, completeCheckout(tx, booking, paymentsOf(payments, currency), answers));
  }),

  // Frees the seats at once.
  act("abandonCheckout", (tx, { booking_id }) =>
    bookingResult(tx, dropCheckout(tx, bookingById(tx, booking_id), "ABANDONED")),
  ),
];
