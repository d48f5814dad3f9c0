// A booking is called off, and its money goes back as asked. Assumptions: booking-transitions, cancel-keeps-money.
import { cancelBooking as cancel } from "../domain/cancellation.ts";
import { dropCheckout } from "../domain/checkout.ts";
import { refuse } from "../domain/refusal.ts";
import { minorUnits } from "./amount.ts";
import { bookingCalled, currencyOfOrder, withOrder } from "./named.ts";
import { act } from "./act.ts";

export const cancelBooking = act("cancelBooking", (desk, { booking_id, refund = "full", amount }) => {
  const booking = bookingCalled(desk, booking_id);
  if (booking.status === "PROCESSING") return withOrder(dropCheckout(desk, booking, "ABANDONED"));
  if (refund !== "amount") return withOrder(cancel(desk, booking, { refund }));
  if (amount === undefined) return refuse("INVALID_INPUT", { place: "body.amount", what: "`refund: amount` says how much." });
  return withOrder(cancel(desk, booking, { refund, amount: minorUnits(amount, currencyOfOrder(desk, booking.order_id), "body.amount") }));
});
