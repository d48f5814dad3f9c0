// GET /v1/gift-cards, newest first. Assumption: gift-card-list.
import type { GiftCard } from "../../domain/kernel/records.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";

export const listGiftCards = read("listGiftCards", (tx, { query }) =>
  page(tx, {
    list: "listGiftCards",
    query,
    keyOf: (card: GiftCard) => card.created_at,
    behind: (past) => tx.giftCards.walk("created", { descending: true, ...(past ? { past } : {}) }),
    show: (card) => card,
  }),
);
