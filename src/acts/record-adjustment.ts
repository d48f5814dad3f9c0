// An accountant corrects an account by hand, against ADJUSTMENT. Assumption: posting-rules.
import { recordAdjustment as record } from "../domain/journal.ts";
import { cardOf } from "../domain/payment.ts";
import { showEntry } from "../domain/shown.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnitsPaid } from "./amount.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const recordAdjustment = act("recordAdjustment", (desk, { type, direction, amount, ...references }) => {
  const { order_id, booking_id, gift_card_id } = references;
  if (order_id !== undefined) orderCalled(desk, order_id);
  if (booking_id !== undefined) bookingCalled(desk, booking_id);
  if (gift_card_id !== undefined) cardOf(desk, gift_card_id);
  const currency = currencyOf(desk, amount);
  const minor = minorUnitsPaid(amount, currency, "body.amount");
  return showEntry(desk, record(desk, { type, direction, amount: minor, currency, references }));
});
