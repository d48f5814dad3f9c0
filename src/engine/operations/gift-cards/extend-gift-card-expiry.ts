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
    ? toEndOfDay(tx, card, (body as { expiry_date?: unknown })?.expiry_date)
    : parseLater(body.expires_at);
  if (requested === undefined)
    return reject("INVALID_INPUT", {
      path: field,
      what: asDate ? "a date such as 2031-12-31 was expected." : "a date-time was expected.",
    });
  return extendExpiry(tx, card, requested, field);
});

export const extendGiftCardExpiry: Operation<"extendGiftCardExpiry"> = {
  ...extend,
  // A missing card is reported before an invalid body.
  find: (tx, { giftCardId }) => getCard(tx, giftCardId),
};

/** Rounds up to the next millisecond, so that any later time extends the card. */
function parseLater(text: string): Instant | undefined {
  const instant = readInstant(text);
  return instant && roundUp(instant, text);
}

/**
 * Converts a date to the end of that day in the company's zone (the other value of gift-card-extend-body). The
 * card's own date means its own expiry.
 */
function toEndOfDay(tx: Transaction, card: GiftCard, date: unknown): string | undefined {
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d$/.test(date) || readInstant(`${date}T00:00:00Z`) === undefined)
    return undefined;
  const zone = getZone(tx, {});
  if (toLocal(card.expires_at, zone).slice(0, 10) === date) return card.expires_at;
  return fromLocal(`${date}T23:59:59`, zone);
}
