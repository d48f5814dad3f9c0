// A guest buys a gift card: an order with origin GIFTCARD, paid in full. Headings "Order" and "Gift card status".

import { customerOf } from "../domain/booking/customer.ts";
import { sellCard } from "../domain/gift-card/card-sale.ts";
import { optional } from "../domain/kernel/optional.ts";
import { pay } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnits } from "./amount.ts";
import { instantCalled } from "./named.ts";

export const buyGiftCard = act("buyGiftCard", (tx, { initial_value, expires_at, customer, provider, ...input }) => {
  const currency = currencyOf(tx, initial_value, "body.initial_value");
  const { card, order } = sellCard(tx, {
    ...input,
    ...optional({ expires_at: expires_at && instantCalled(expires_at, "body.expires_at") }),
    value: minorUnits(initial_value, currency, "body.initial_value"),
    currency,
    customer: customerOf(customer ?? {}),
  });
  pay(tx, order, optional({ provider }));
  return card;
});
