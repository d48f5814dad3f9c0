// A card is used at the host's till, outside any order. Assumption: gift-card-spent.
import { spendCard } from "../domain/gift-card.ts";
import { cardOf } from "../domain/payment.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";

export const spendGiftCard = act("spendGiftCard", (desk, { gift_card_id, amount }) => {
  const card = cardOf(desk, gift_card_id);
  return spendCard(desk, card, minorUnitsPaid(amount, card.balance.currency, "body.amount"));
});
