// A guest buys a gift card: an order with origin GIFTCARD, and a SALE.
import { customerOf } from "../domain/customer.ts";
import { pay } from "../domain/payment.ts";
import { sellCard } from "../domain/card-sale.ts";
import { companyCurrency, currencyAsked, minorUnits } from "./amount.ts";
import { instantOf } from "./named.ts";
import { act } from "./act.ts";

export const buyGiftCard = act("buyGiftCard", (desk, { id, initial_value, expires_at, customer, provider, ...wish }) => {
  const currency = currencyAsked(initial_value) ?? companyCurrency(desk);
  const value = minorUnits(initial_value, currency, "body.initial_value");
  const buyer = customerOf((customer ?? { customer_type: "PRIVATE", name: "Walk-in guest" }) as never);
  const expiry = expires_at === undefined ? {} : { expires_at: instantOf(expires_at, "body.expires_at") };
  const { card, order } = sellCard(desk, { id: id ?? desk.newId(), value, currency, customer: buyer, ...expiry, ...wish });
  pay(desk, order, provider ? { provider } : {});
  return card;
});
