// Gift cards: made by a sale, by the host or as a refund; extended, adjusted, and spent to zero. Heading "Gift card status";
// assumptions: gift-card-extend-codes, gift-card-spent, refund-to-card, posting-rules.

import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import { after, type Instant } from "../kernel/instant.ts";
import type { GiftCard, Metadata } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { giftCardStates, move } from "../kernel/transitions.ts";
import { record } from "../money/journal-entry.ts";
import { exact, price } from "../money/money.ts";

/** `value` in minor units of `currency`; `order_id` is missing on a card that the host gave. */
export interface CardInput {
  id?: string;
  value: number;
  currency: string;
  code?: string;
  expires_at?: Instant;
  order_id?: string;
  metadata?: Metadata;
}

/** Cards are good for three years unless the host says otherwise. */
const DEFAULT_LIFE = "P3Y";

/** Rejects with ID_TAKEN, CODE_TAKEN or INVALID_INPUT. Its entry in the journal is the caller's. */
export function makeCard(tx: Transaction, input: CardInput): GiftCard {
  mustBeNew(tx, input);
  if (input.value < 1) reject("INVALID_INPUT", { path: "body.initial_value", what: "a gift card holds at least 1." });
  const expires_at = input.expires_at ?? after(tx.now, DEFAULT_LIFE);
  const past = `${expires_at} has passed; it is ${tx.now} now. Ask for a later instant.`;
  if (expires_at <= tx.now) reject("INVALID_INPUT", { path: "body.expires_at", what: past });
  const id = input.id ?? tx.newId();
  const card: GiftCard = {
    id,
    // 12 hexadecimal digits of a new id: short enough to type, and drawn from the seed.
    code: input.code ?? tx.newId().replaceAll("-", "").slice(0, 12).toUpperCase(),
    status: "ACTIVE",
    initial_value: price(input.value, input.currency),
    balance: price(input.value, input.currency),
    expires_at,
    created_at: tx.now,
    updated_at: tx.now,
    ...(input.order_id ? { order_id: input.order_id } : {}),
    ...(input.metadata ? { metadata: input.metadata } : {}),
  };
  tx.giftCards.put(card);
  tx.emit("gift_card.created", id);
  return card;
}

/** Acts name a card by its id or its code, so neither may be the other of another card. */
function mustBeNew(tx: Transaction, { id, code }: CardInput): void {
  const find = (name: string) => tx.giftCards.get(name) ?? tx.giftCards.where("code", name)[0];
  if (id !== undefined && find(id)) reject("ID_TAKEN", { kind: "gift card", id });
  if (code !== undefined && find(code)) reject("CODE_TAKEN", { code });
}

/** A card from the host, without an order. */
export function issueCard(tx: Transaction, input: CardInput): GiftCard {
  const card = makeCard(tx, input);
  // A liability without money, against ADJUSTMENT.
  recordChange(tx, card, input.value);
  return card;
}

/** Rejects with GIFT_CARD_NOT_ACTIVE; noted as a check either way. */
export function mustBeActive(tx: Transaction, { id, status }: GiftCard): void {
  const stands = status !== "ACTIVE" && { gift_card_id: id, status };
  must(tx, "GIFT_CARD_NOT_ACTIVE", stands, () => `${id} is ${status}`);
}

/**
 * Later: applied; the same instant: unchanged, so that a retry is safe; earlier or past: 400. `path`: of the member
 * that the rejection names.
 */
export function extendExpiry(tx: Transaction, card: GiftCard, requested: Instant, path: string): GiftCard {
  mustBeActive(tx, card);
  const { expires_at: current } = card;
  // What a client has read, it may send back (assumption: timestamps).
  const visible = tx.assumes("timestamps") === "second" ? `${current.slice(0, 19)}.000Z` : current;
  if (requested === current || requested === visible) return card;
  const stands = (requested < current || requested <= tx.now) && { path, requested, current, now: tx.now };
  must(
    tx,
    "EXPIRY_NOT_LATER",
    stands,
    () => `${requested} was asked for; it expires at ${current}, and it is ${tx.now}`,
  );
  return saveCard(tx, { ...card, expires_at: requested }, "gift_card.extended");
}

/** Rejects with GIFT_CARD_BALANCE_TOO_LOW. `amount` in minor units. */
export function mustHold(tx: Transaction, { id, balance: { value: balance } }: GiftCard, amount: number): void {
  const stands = amount > balance && { gift_card_id: id, balance, amount };
  must(tx, "GIFT_CARD_BALANCE_TOO_LOW", stands, () => `${id} holds ${balance}; ${amount} was asked for`);
}

/** Takes money from a card; at zero it is SPENT. Booking the entry is the caller's. */
export function takeFrom(tx: Transaction, card: GiftCard, amount: number): GiftCard {
  mustBeActive(tx, card);
  mustHold(tx, card, amount);
  const balance = { ...card.balance, value: card.balance.value - amount };
  if (balance.value > 0) return saveCard(tx, { ...card, balance }, "gift_card.updated");
  return saveCard(
    tx,
    { ...card, balance, status: move(giftCardStates, card.id, card.status, "SPENT") },
    "gift_card.spent",
  );
}

/** Whether money that it paid can go back to it. SPENT is final, unless refund-to-card says otherwise. */
export function canRestore(tx: Transaction, { status, expires_at, balance }: GiftCard, amount: number): boolean {
  // A lapse can't be refused: what one card can't hold as well goes to a new one (assumption: amounts).
  if (!Number.isSafeInteger(balance.value + amount)) return false;
  if (status === "ACTIVE") return true;
  return status === "SPENT" && expires_at > tx.now && tx.assumes("refund-to-card") === "card-reactivated";
}

/** Takes a refund or a correction; a SPENT card is ACTIVE again by it. */
export function putBackOn(tx: Transaction, card: GiftCard, amount: number): GiftCard {
  const balance = { ...card.balance, value: exact(card.balance.value + amount) };
  return saveCard(tx, { ...card, balance, status: "ACTIVE" }, "gift_card.updated");
}

/** Spent outside any order, at the host's till. The entry is an ADJUSTMENT, since no order of ours was paid. */
export function spendCard(tx: Transaction, card: GiftCard, amount: number): GiftCard {
  const spent = takeFrom(tx, card, amount);
  recordChange(tx, card, -amount);
  return spent;
}

/** Sets the balance, in minor units. Zero makes it SPENT. */
export function adjustCard(tx: Transaction, card: GiftCard, balance: number): GiftCard {
  mustBeActive(tx, card);
  const change = balance - card.balance.value;
  if (change === 0) return card;
  const adjusted = change < 0 ? takeFrom(tx, card, -change) : putBackOn(tx, card, change);
  recordChange(tx, card, change);
  return adjusted;
}

/** An ADJUSTMENT of the liability, up or down, against the account of the same name. */
export function recordChange(tx: Transaction, card: GiftCard, change: number): void {
  const amount = Math.abs(change);
  const rows = [
    { type: "GIFT_CARD_LIABILITY", side: change > 0 ? "CREDIT" : "DEBIT", amount },
    { type: "ADJUSTMENT", side: change > 0 ? "DEBIT" : "CREDIT", amount },
  ] as const;
  record(tx, { kind: "ADJUSTMENT", currency: card.balance.currency }, [...rows], { gift_card_id: card.id });
}

/** Every change of a card tells one fact, so stores go through here. */
export function saveCard(
  tx: Transaction,
  card: GiftCard,
  fact: "gift_card.updated" | "gift_card.extended" | "gift_card.spent" | "gift_card.voided" | "gift_card.expired",
): GiftCard {
  const saved = { ...card, updated_at: tx.now };
  tx.giftCards.put(saved);
  tx.emit(fact, card.id);
  return saved;
}
