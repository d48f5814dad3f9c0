// An accountant corrects an account by hand, against ADJUSTMENT. Assumption: posting-rules.
import { recordAdjustment as record } from "../domain/journal.ts";
import { optional } from "../domain/optional.ts";
import { cardOf } from "../domain/payment.ts";
import { showEntry } from "../domain/shown-order.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnitsPaid } from "./amount.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const recordAdjustment = act("recordAdjustment", (desk, { type, direction, amount, ...named }) => {
  const order = named.order_id === undefined ? undefined : orderCalled(desk, named.order_id);
  const booking = named.booking_id === undefined ? undefined : bookingCalled(desk, named.booking_id);
  const card = named.gift_card_id === undefined ? undefined : cardOf(desk, named.gift_card_id);
  const about = order ?? (booking && orderCalled(desk, booking.order_id));
  const currency = currencyOf(desk, amount, "body.amount", card?.balance.currency ?? about?.currency);
  const minor = minorUnitsPaid(amount, currency, "body.amount");
  const references = optional({ order_id: order?.id, booking_id: booking?.id, gift_card_id: card?.id });
  return showEntry(desk, record(desk, { type, direction, amount: minor, currency, references }));
});
