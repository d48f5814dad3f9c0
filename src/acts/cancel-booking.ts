// A booking is called off, and its money goes back as asked: in full when nothing is said. Assumptions: booking-transitions,
// cancel-keeps-money.
import { cancelBooking as cancel } from "../domain/cancellation.ts";
import { refuse } from "../domain/refusal.ts";
import { act } from "./act.ts";
import { minorUnits } from "./amount.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const cancelBooking = act("cancelBooking", (desk, { booking_id, refund = "full", amount }) => {
  const booking = bookingCalled(desk, booking_id);
  if (refund !== "amount") {
    if (amount === undefined) return bookingAnswer(desk, cancel(desk, booking, { refund }));
    return refuse("INVALID_INPUT", {
      place: "body.amount",
      what: `a size only goes with \`refund: amount\`, not ${refund}.`,
    });
  }
  if (amount === undefined)
    return refuse("INVALID_INPUT", { place: "body.amount", what: "`refund: amount` says how much." });
  const { currency } = orderCalled(desk, booking.order_id);
  const minor = minorUnits(amount, currency, "body.amount");
  return bookingAnswer(desk, cancel(desk, booking, { refund, amount: minor }));
});
