// A card is used at the host's till, outside any order. Assumption: gift-card-spent.
import { spendCard } from "../domain/gift-card/gift-card.ts";
import { cardOf } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";

export const spendGiftCard = act("spendGiftCard", (tx, { gift_card_id, amount }) => {
  const card = cardOf(tx, gift_card_id);
  return spendCard(tx, card, minorUnitsPaid(amount, card.balance.currency, "body.amount"));
});
