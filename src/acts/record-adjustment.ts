// An accountant corrects an account by hand, against ADJUSTMENT. Assumption: posting-rules.

import { optional } from "../domain/kernel/optional.ts";
import { recordAdjustment as record } from "../domain/money/journal.ts";
import { cardOf } from "../domain/money/payment.ts";
import { showEntry } from "../domain/money/shown-order.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnitsPaid } from "./amount.ts";
import { bookingCalled, orderCalled } from "./named.ts";

export const recordAdjustment = act("recordAdjustment", (tx, { type, direction, amount, ...named }) => {
  const order = named.order_id === undefined ? undefined : orderCalled(tx, named.order_id);
  const booking = named.booking_id === undefined ? undefined : bookingCalled(tx, named.booking_id);
  const card = named.gift_card_id === undefined ? undefined : cardOf(tx, named.gift_card_id);
  const about = order ?? (booking && orderCalled(tx, booking.order_id));
  const currency = currencyOf(tx, amount, "body.amount", card?.balance.currency ?? about?.currency);
  const minor = minorUnitsPaid(amount, currency, "body.amount");
  const references = optional({ order_id: order?.id, booking_id: booking?.id, gift_card_id: card?.id });
  return showEntry(tx, record(tx, { type, direction, amount: minor, currency, references }));
});
