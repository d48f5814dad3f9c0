// A host disables a card, or refunds it to whoever bought it. Assumption: gift-card-voided.
import { disableCard } from "../domain/gift-card/card-end.ts";
import { voidBoughtCard } from "../domain/gift-card/card-return.ts";
import { cardOf } from "../domain/money/payment.ts";
import { act } from "./act.ts";

export const voidGiftCard = act("voidGiftCard", (tx, { gift_card_id, refund = false }) => {
  const card = cardOf(tx, gift_card_id);
  return refund ? voidBoughtCard(tx, card) : disableCard(tx, card);
});
