// A guest buys a gift card: an order with origin GIFTCARD, paid in full. Headings "Order" and "Gift card status".
import { sellCard } from "../domain/card-sale.ts";
import { customerOf } from "../domain/customer.ts";
import { optional } from "../domain/optional.ts";
import { pay } from "../domain/payment.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnits } from "./amount.ts";
import { instantCalled } from "./named.ts";

export const buyGiftCard = act("buyGiftCard", (desk, { initial_value, expires_at, customer, provider, ...wish }) => {
  const currency = currencyOf(desk, initial_value, "body.initial_value");
  const { card, order } = sellCard(desk, {
    ...wish,
    ...optional({ expires_at: expires_at && instantCalled(expires_at, "body.expires_at") }),
    value: minorUnits(initial_value, currency, "body.initial_value"),
    currency,
    customer: customerOf(customer ?? {}),
  });
  pay(desk, order, optional({ provider }));
  return card;
});
