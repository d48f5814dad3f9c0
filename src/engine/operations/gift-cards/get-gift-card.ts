// GET /v1/gift-cards/{giftCardId}. Assumption: gift-card-fields.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { read } from "../operation.ts";

export const getGiftCard = read("getGiftCard", (tx, { path }) =>
  mustExist(tx.giftCards.get(path.giftCardId), "gift card", path.giftCardId),
);
