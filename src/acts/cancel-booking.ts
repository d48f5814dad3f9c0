// A booking is called off, and its money goes back as asked: in full when nothing is said. Assumptions: booking-transitions,
// cancel-keeps-money.
import { cancelBooking as cancel } from "../domain/booking/cancellation.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { act } from "./act.ts";
import { minorUnits } from "./amount.ts";
import { bookingAnswer } from "./answers.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const cancelBooking = act("cancelBooking", (tx, { booking_id, refund = "full", amount }) => {
  const booking = bookingCalled(tx, booking_id);
  if (refund !== "amount") {
    if (amount === undefined) return bookingAnswer(tx, cancel(tx, booking, { refund }));
    return reject("INVALID_INPUT", {
      place: "body.amount",
      what: `a size only goes with \`refund: amount\`, not ${refund}.`,
    });
  }
  if (amount === undefined)
    return reject("INVALID_INPUT", { place: "body.amount", what: "`refund: amount` says how much." });
  const { currency } = orderCalled(tx, booking.order_id);
  const minor = minorUnits(amount, currency, "body.amount");
  return bookingAnswer(tx, cancel(tx, booking, { refund, amount: minor }));
});
