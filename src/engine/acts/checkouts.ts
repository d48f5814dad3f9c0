// Acts of a guest's checkout: its booking is PROCESSING and holds its seats for a while. Heading "Booking status"; assumption:
// booking-transitions.
import { placeBooking } from "../domain/booking/booking.ts";
import { completeCheckout, dropCheckout } from "../domain/booking/checkout.ts";
import { loadBooking, loadEvent, loadOrder } from "../domain/kernel/lookups.ts";
import { act } from "./act.ts";
import { toBookingInput, toPayments } from "./booking-input.ts";
import { toBookingResult } from "./results.ts";

export const checkoutActs = [
  // A required question may be answered on completion. Assumption: required-question.
  act("startCheckout", (tx, { event_id, ...rest }) => {
    const event = loadEvent(tx, event_id);
    const input = toBookingInput(tx, event, rest, true);
    return toBookingResult(tx, placeBooking(tx, event, { ...input, must_answer: false, checkout: true }));
  }),

  // Makes the tickets and completes the order. Without `payments` it is paid in full through the platform; an empty list leaves it
  // unpaid. Assumption: order-transitions.
  act("completeCheckout", (tx, { booking_id, payments = [{}], answers = [] }) => {
    const booking = loadBooking(tx, booking_id);
    const { currency } = loadOrder(tx, booking.order_id);
    return toBookingResult(tx, completeCheckout(tx, booking, toPayments(payments, currency), answers));
  }),

  // Frees the seats at once.
  act("abandonCheckout", (tx, { booking_id }) =>
    toBookingResult(tx, dropCheckout(tx, loadBooking(tx, booking_id), "ABANDONED")),
  ),
];
