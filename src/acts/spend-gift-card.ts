// A card is used at the host's till, outside any order. Assumption: gift-card-spent.
import { spendCard } from "../domain/gift-card.ts";
import { minorUnits } from "./amount.ts";
import { cardCalled } from "./named.ts";
import { act } from "./act.ts";

export const spendGiftCard = act("spendGiftCard", (desk, { gift_card_id, amount }) => {
  const card = cardCalled(desk, gift_card_id);
  return spendCard(desk, card, minorUnits(amount, card.balance.currency, "body.amount"));
});
