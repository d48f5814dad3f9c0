// A host sets what a card holds; zero makes it SPENT. Assumptions: gift-card-spent, posting-rules ("Gift cards").
import { adjustCard } from "../domain/gift-card.ts";
import { cardOf } from "../domain/payment.ts";
import { act } from "./act.ts";
import { minorUnits } from "./amount.ts";

export const adjustGiftCard = act("adjustGiftCard", (desk, { gift_card_id, balance }) => {
  const card = cardOf(desk, gift_card_id);
  return adjustCard(desk, card, minorUnits(balance, card.balance.currency, "body.balance"));
});
