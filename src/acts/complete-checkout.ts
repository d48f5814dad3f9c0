// A guest completes the checkout: tickets are made, the order is completed. Without payments it is paid in full.
import { completeCheckout as complete } from "../domain/checkout.ts";
import { paymentsOf } from "./booking-wish.ts";
import { bookingCalled, currencyOfOrder, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const completeCheckout = act("completeCheckout", (desk, { booking_id, payments }) => {
  const booking = bookingCalled(desk, booking_id);
  const wishes = payments ? paymentsOf(payments, currencyOfOrder(desk, booking.order_id)) : [{}];
  return withOrder(complete(desk, booking, wishes));
});
