// A host gives a gift card away: an ADJUSTMENT, and no order.
import { issueCard } from "../domain/gift-card.ts";
import { companyCurrency, currencyAsked, minorUnits } from "./amount.ts";
import { instantOf } from "./named.ts";
import { act } from "./act.ts";

export const issueGiftCard = act("issueGiftCard", (desk, { initial_value, expires_at, ...wish }) => {
  const currency = currencyAsked(initial_value) ?? companyCurrency(desk);
  const value = minorUnits(initial_value, currency, "body.initial_value");
  const expiry = expires_at === undefined ? {} : { expires_at: instantOf(expires_at, "body.expires_at") };
  return issueCard(desk, { value, currency, ...expiry, ...wish });
});
