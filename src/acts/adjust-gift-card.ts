// A host sets what a card holds; zero makes it SPENT. Assumptions: gift-card-spent, posting-rules ("Gift cards").
import { adjustCard } from "../domain/gift-card/gift-card.ts";
import { cardOf } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { minorUnits } from "./amount.ts";

export const adjustGiftCard = act("adjustGiftCard", (tx, { gift_card_id, balance }) => {
  const card = cardOf(tx, gift_card_id);
  return adjustCard(tx, card, minorUnits(balance, card.balance.currency, "body.balance"));
});
