// GET /v1/gift-cards/{giftCardId}. Assumption: gift-card-fields.
import { found } from "../../domain/refusal.ts";
import { read } from "../operation.ts";

export const getGiftCard = read("getGiftCard", (desk, { path }) =>
  found(desk.giftCards.get(path.giftCardId), "gift card", path.giftCardId),
);
