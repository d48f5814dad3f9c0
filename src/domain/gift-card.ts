// Gift cards: made by a sale, by the host or as a refund; extended, adjusted, and spent to zero. Heading "Gift card status";
// assumptions: gift-card-extend-codes, gift-card-spent, refund-to-card, posting-rules.
import type { Desk } from "./desk.ts";
import { after, type Instant } from "./instant.ts";
import { record } from "./journal-entry.ts";
import { exact, price } from "./money.ts";
import type { GiftCard, Metadata } from "./records.ts";
import { refuse } from "./refusal.ts";
import { giftCard as cycle, move } from "./transitions.ts";

export interface CardWish {
  id?: string;
  value: number;
  currency: string;
  code?: string;
  expires_at?: Instant;
  order_id?: string;
  metadata?: Metadata;
}

/** Cards are good for three years unless the host says otherwise. */
const USUAL_LIFE = "P3Y";

export function makeCard(desk: Desk, wish: CardWish): GiftCard {
  mustBeNew(desk, wish);
  if (wish.value < 1) refuse("INVALID_INPUT", { place: "body.initial_value", what: "a gift card holds at least 1." });
  const expires_at = wish.expires_at ?? after(desk.now, USUAL_LIFE);
  if (expires_at <= desk.now) {
    refuse("INVALID_INPUT", {
      place: "body.expires_at",
      what: `${expires_at} has passed; it is ${desk.now} now. Ask for a later instant.`,
    });
  }
  const id = wish.id ?? desk.newId();
  const card: GiftCard = {
    id,
    code: wish.code ?? desk.newId().replaceAll("-", "").slice(0, 12).toUpperCase(),
    status: "ACTIVE",
    initial_value: price(wish.value, wish.currency),
    balance: price(wish.value, wish.currency),
    expires_at,
    created_at: desk.now,
    updated_at: desk.now,
    ...(wish.order_id ? { order_id: wish.order_id } : {}),
    ...(wish.metadata ? { metadata: wish.metadata } : {}),
  };
  desk.giftCards.put(card);
  desk.tell("gift_card.created", id);
  return card;
}

/** Acts name a card by its id or its code, so neither may be the other of another card. */
function mustBeNew(desk: Desk, { id, code }: CardWish): void {
  const known = (name: string) => desk.giftCards.get(name) ?? desk.giftCards.where("code", name)[0];
  if (id !== undefined && known(id)) refuse("ID_TAKEN", { kind: "gift card", id });
  if (code !== undefined && known(code)) refuse("CODE_TAKEN", { code });
}

/** A card from the host, without an order. */
export function issueCard(desk: Desk, wish: CardWish): GiftCard {
  const card = makeCard(desk, wish);
  adjustmentOf(desk, card, wish.value);
  return card;
}

export function mustBeActive(card: GiftCard): void {
  if (card.status !== "ACTIVE") refuse("GIFT_CARD_NOT_ACTIVE", { gift_card_id: card.id, status: card.status });
}

/** Later: applied; the same instant: unchanged, so that a retry is safe; earlier or past: 400. */
export function extendExpiry(desk: Desk, card: GiftCard, asked: Instant, place: string): GiftCard {
  mustBeActive(card);
  if (asked === card.expires_at) return card;
  if (asked < card.expires_at || asked <= desk.now) {
    refuse("EXPIRY_NOT_LATER", { place, asked, current: card.expires_at, now: desk.now });
  }
  return keepCard(desk, { ...card, expires_at: asked }, "gift_card.extended");
}

export function mustHold(card: GiftCard, amount: number): void {
  if (amount <= card.balance.value) return;
  refuse("GIFT_CARD_BALANCE_TOO_LOW", { gift_card_id: card.id, balance: card.balance.value, amount });
}

/** Takes money from a card; at zero it is SPENT. Booking the entry is the caller's. */
export function takeFrom(desk: Desk, card: GiftCard, amount: number): GiftCard {
  mustBeActive(card);
  mustHold(card, amount);
  const balance = { ...card.balance, value: card.balance.value - amount };
  if (balance.value > 0) return keepCard(desk, { ...card, balance }, "gift_card.updated");
  return keepCard(desk, { ...card, balance, status: move(cycle, card.id, card.status, "SPENT") }, "gift_card.spent");
}

/** Whether money that it paid can go back to it. SPENT is final, unless refund-to-card says otherwise. */
export function takesBack(desk: Desk, { status, expires_at }: GiftCard): boolean {
  if (status === "ACTIVE") return true;
  return status === "SPENT" && expires_at > desk.now && desk.assumes("refund-to-card") === "card-reactivated";
}

export function putBackOn(desk: Desk, card: GiftCard, amount: number): GiftCard {
  const balance = { ...card.balance, value: exact(card.balance.value + amount) };
  return keepCard(desk, { ...card, balance, status: "ACTIVE" }, "gift_card.updated");
}

/** Spent outside any order, at the host's till. */
export function spendCard(desk: Desk, card: GiftCard, amount: number): GiftCard {
  const spent = takeFrom(desk, card, amount);
  adjustmentOf(desk, card, -amount);
  return spent;
}

export function adjustCard(desk: Desk, card: GiftCard, balance: number): GiftCard {
  mustBeActive(card);
  const change = balance - card.balance.value;
  if (change === 0) return card;
  const adjusted = change < 0 ? takeFrom(desk, card, -change) : putBackOn(desk, card, change);
  adjustmentOf(desk, card, change);
  return adjusted;
}

/** An ADJUSTMENT of the liability, up or down, against the account of the same name. */
export function adjustmentOf(desk: Desk, card: GiftCard, change: number): void {
  const amount = Math.abs(change);
  const rows = [
    { type: "GIFT_CARD_LIABILITY", side: change > 0 ? "CREDIT" : "DEBIT", amount },
    { type: "ADJUSTMENT", side: change > 0 ? "DEBIT" : "CREDIT", amount },
  ] as const;
  record(desk, "ADJUSTMENT", card.balance.currency, [...rows], { gift_card_id: card.id });
}

export function keepCard(
  desk: Desk,
  card: GiftCard,
  fact: "gift_card.updated" | "gift_card.extended" | "gift_card.spent" | "gift_card.voided" | "gift_card.expired",
): GiftCard {
  const kept = { ...card, updated_at: desk.now };
  desk.giftCards.put(kept);
  desk.tell(fact, card.id);
  return kept;
}
