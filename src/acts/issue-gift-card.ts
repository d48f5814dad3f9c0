// A host gives a gift card away: an ADJUSTMENT, and no order. Assumption: posting-rules ("Gift cards").
import { issueCard } from "../domain/gift-card/gift-card.ts";
import { optional } from "../domain/kernel/optional.ts";
import { act } from "./act.ts";
import { currencyOf, minorUnits } from "./amount.ts";
import { instantCalled } from "./named.ts";

export const issueGiftCard = act("issueGiftCard", (tx, { initial_value, expires_at, ...input }) => {
  const currency = currencyOf(tx, initial_value, "body.initial_value");
  const value = minorUnits(initial_value, currency, "body.initial_value");
  const expiry = optional({ expires_at: expires_at && instantCalled(expires_at, "body.expires_at") });
  return issueCard(tx, { ...input, ...expiry, value, currency });
});
