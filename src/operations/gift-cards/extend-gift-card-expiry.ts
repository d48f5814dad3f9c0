// POST /v1/gift-cards/{giftCardId}/extend-expiry. Heading "Gift cards"; assumptions: gift-card-extend-body, gift-card-extend-codes.
import type { Desk } from "../../domain/desk.ts";
import { extendExpiry } from "../../domain/gift-card.ts";
import { instantToLocal, localToInstant, readInstant } from "../../domain/instant.ts";
import { zoneOf } from "../../domain/location.ts";
import type { GiftCard } from "../../domain/records.ts";
import { found, refuse } from "../../domain/refusal.ts";
import { type Operation, read } from "../operation.ts";

const cardCalled = (desk: Desk, id: string) => found(desk.giftCards.get(id), "gift card", id);

const extend = read("extendGiftCardExpiry", (desk, { path, body }) => {
  const card = cardCalled(desk, path.giftCardId);
  const asDate = desk.assumes("gift-card-extend-body") === "expiry_date";
  const place = asDate ? "body.expiry_date" : "body.expires_at";
  const asked = asDate
    ? endOfDay(desk, card, (body as { expiry_date?: unknown })?.expiry_date)
    : readInstant(body.expires_at);
  if (asked === undefined)
    return refuse("INVALID_INPUT", {
      place,
      what: asDate ? "a date was expected, as 2031-12-31." : "a date-time was expected.",
    });
  return extendExpiry(desk, card, asked, place);
});

export const extendGiftCardExpiry: Operation<"extendGiftCardExpiry"> = {
  ...extend,
  find: (desk, { giftCardId }) => cardCalled(desk, giftCardId),
};

/** A date means the end of that day where the company is (the other answer to gift-card-extend-body); the card's own date is its own expiry. */
function endOfDay(desk: Desk, card: GiftCard, date: unknown): string | undefined {
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d$/.test(date) || readInstant(`${date}T00:00:00Z`) === undefined)
    return undefined;
  const zone = zoneOf(desk, {});
  if (instantToLocal(card.expires_at, zone).slice(0, 10) === date) return card.expires_at;
  return localToInstant(`${date}T23:59:59`, zone);
}
