// POST /v1/gift-cards/{giftCardId}/extend-expiry. Heading "Gift cards"; assumptions: gift-card-extend-body, gift-card-extend-codes.

import { getZone } from "../../domain/catalogue/location.ts";
import { extendExpiry } from "../../domain/gift-card/gift-card.ts";
import { mustExist, reject } from "../../domain/kernel/domain-error.ts";
import { fromLocal, type Instant, readInstant, roundUp, toLocal } from "../../domain/kernel/instant.ts";
import type { GiftCard } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type Operation, read } from "../operation.ts";

const getCard = (tx: Transaction, id: string) => mustExist(tx.giftCards.get(id), "gift card", id);

const extend = read("extendGiftCardExpiry", (tx, { path, body }) => {
  const card = getCard(tx, path.giftCardId);
  const asDate = tx.assumes("gift-card-extend-body") === "expiry_date";
  const field = asDate ? "body.expiry_date" : "body.expires_at";
  const requested = asDate
    ? endOfDay(tx, card, (body as { expiry_date?: unknown })?.expiry_date)
    : parseLater(body.expires_at);
  if (requested === undefined)
    return reject("INVALID_INPUT", {
      path: field,
      what: asDate ? "a date was expected, as 2031-12-31." : "a date-time was expected.",
    });
  return extendExpiry(tx, card, requested, field);
});

export const extendGiftCardExpiry: Operation<"extendGiftCardExpiry"> = {
  ...extend,
  // A card that is missing is reported before a body that is wrong.
  find: (tx, { giftCardId }) => getCard(tx, giftCardId),
};

/** Up to the next millisecond, so that what is later than the card's expiry extends it. */
function parseLater(text: string): Instant | undefined {
  const instant = readInstant(text);
  return instant && roundUp(instant, text);
}

/** A date means the end of that day where the company is (the other answer to gift-card-extend-body); the card's own date is its own expiry. */
function endOfDay(tx: Transaction, card: GiftCard, date: unknown): string | undefined {
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d$/.test(date) || readInstant(`${date}T00:00:00Z`) === undefined)
    return undefined;
  const zone = getZone(tx, {});
  if (toLocal(card.expires_at, zone).slice(0, 10) === date) return card.expires_at;
  return fromLocal(`${date}T23:59:59`, zone);
}
