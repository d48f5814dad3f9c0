// A host disables a card, or refunds it to whoever bought it. Assumption: gift-card-voided.
import { disableCard } from "../domain/card-end.ts";
import { voidBoughtCard } from "../domain/card-return.ts";
import { cardOf } from "../domain/payment.ts";
import { act } from "./act.ts";

export const voidGiftCard = act("voidGiftCard", (desk, { gift_card_id, refund = false }) => {
  const card = cardOf(desk, gift_card_id);
  return refund ? voidBoughtCard(desk, card) : disableCard(desk, card);
});
