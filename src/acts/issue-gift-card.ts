// A host gives a gift card away: an ADJUSTMENT, and no order. Assumption: posting-rules ("Gift cards").
import { issueCard } from "../domain/gift-card.ts";
import { optional } from "../domain/optional.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnits } from "./amount.ts";
import { instantCalled } from "./named.ts";

export const issueGiftCard = act("issueGiftCard", (desk, { initial_value, expires_at, ...wish }) => {
  const currency = currencyOf(desk, initial_value, "body.initial_value");
  const value = minorUnits(initial_value, currency, "body.initial_value");
  const expiry = optional({ expires_at: expires_at && instantCalled(expires_at, "body.expires_at") });
  return issueCard(desk, { ...wish, ...expiry, value, currency });
});
