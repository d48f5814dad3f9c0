// A host corrects what a card holds: an ADJUSTMENT.
import { adjustCard } from "../domain/gift-card.ts";
import { minorUnits } from "./amount.ts";
import { cardCalled } from "./named.ts";
import { act } from "./act.ts";

export const adjustGiftCard = act("adjustGiftCard", (desk, { gift_card_id, balance }) => {
  const card = cardCalled(desk, gift_card_id);
  return adjustCard(desk, card, minorUnits(balance, card.balance.currency, "body.balance"));
});
