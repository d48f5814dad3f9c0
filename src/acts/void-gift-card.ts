// A host disables a card, or refunds it to whoever bought it. Assumption: gift-card-voided.
import { adjustmentOf, voidCard } from "../domain/gift-card.ts";
import { voidBoughtCard } from "../domain/card-return.ts";
import { cardCalled } from "./named.ts";
import { act } from "./act.ts";

export const voidGiftCard = act("voidGiftCard", (desk, { gift_card_id, refund }) => {
  const card = cardCalled(desk, gift_card_id);
  if (refund) return voidBoughtCard(desk, card);
  const voided = voidCard(desk, card);
  adjustmentOf(desk, card, -card.balance.value);
  return voided;
});
