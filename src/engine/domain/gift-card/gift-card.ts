// Creates, extends, adjusts and spends gift cards. Heading "Gift card status"; assumptions: gift-card-extend-codes,
// gift-card-spent, refund-to-card, posting-rules.

import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import { after, type Instant } from "../kernel/instant.ts";
import type { GiftCard, Metadata } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { giftCardStates, move } from "../kernel/transitions.ts";
import { record } from "../money/journal-entry.ts";
import { mustBeExact, price } from "../money/money.ts";

/** `value` is in minor units of `currency`. `order_id` is missing on a card that the host gave. */
export interface CardInput {
  id?: string;
  value: number;
  currency: string;
  code?: string;
  expires_at?: Instant;
  order_id?: string;
  metadata?: Metadata;
}

/** Cards are valid for three years by default. */
const DEFAULT_LIFE = "P3Y";

/** Rejects with ID_TAKEN, CODE_TAKEN or INVALID_INPUT. The caller records the card in the journal. */
export function makeCard(tx: Transaction, input: CardInput): GiftCard {
  mustBeNew(tx, input);
  if (input.value < 1) reject("INVALID_INPUT", { path: "body.initial_value", what: "a gift card holds at least 1." });
  const expires_at = input.expires_at ?? after(tx.now, DEFAULT_LIFE);
  const past = `${expires_at} has passed; it is ${tx.now} now. Choose a later instant.`;
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

/** Acts name a card by its id or its code, so an id must not equal another card's code. */
function mustBeNew(tx: Transaction, { id, code }: CardInput): void {
  const find = (name: string) => tx.giftCards.get(name) ?? tx.giftCards.where("code", name)[0];
  if (id !== undefined && find(id)) reject("ID_TAKEN", { kind: "gift card", id });
  if (code !== undefined && find(code)) reject("CODE_TAKEN", { code });
}

/** Creates a card from the host, without an order. */
export function issueCard(tx: Transaction, input: CardInput): GiftCard {
  const card = makeCard(tx, input);
  // The entry is a liability without money, against ADJUSTMENT.
  recordChange(tx, card, input.value);
  return card;
}

/** Rejects with GIFT_CARD_NOT_ACTIVE. The check is recorded in both cases. */
export function mustBeActive(tx: Transaction, { id, status }: GiftCard): void {
  const violation = status !== "ACTIVE" && { gift_card_id: id, status };
  must(tx, "GIFT_CARD_NOT_ACTIVE", violation, () => `${id} is ${status}`);
}

/**
 * Extends a card. A later instant is applied, the same instant changes nothing (so that a retry is safe), and an
 * earlier or past one is rejected with 400. `path` is that of the rejected field.
 */
export function extendExpiry(tx: Transaction, card: GiftCard, requested: Instant, path: string): GiftCard {
  mustBeActive(tx, card);
  const { expires_at: current } = card;
  // A client may send back the instant that it has read (assumption: timestamps).
  const visible = tx.assumes("timestamps") === "second" ? `${current.slice(0, 19)}.000Z` : current;
  if (requested === current || requested === visible) return card;
  const violation = (requested < current || requested <= tx.now) && { path, requested, current, now: tx.now };
  must(
    tx,
    "EXPIRY_NOT_LATER",
    violation,
    () => `${requested} was requested; it expires at ${current}, and it is ${tx.now}`,
  );
  return saveCard(tx, { ...card, expires_at: requested }, "gift_card.extended");
}

/** Rejects with GIFT_CARD_BALANCE_TOO_LOW. `amount` is in minor units. */
export function mustHold(tx: Transaction, { id, balance: { value: balance } }: GiftCard, amount: number): void {
  const violation = amount > balance && { gift_card_id: id, balance, amount };
  must(tx, "GIFT_CARD_BALANCE_TOO_LOW", violation, () => `${id} holds ${balance}; ${amount} was requested`);
}

/** Takes money from a card, which is SPENT at zero. The caller records the journal entry. */
export function takeFromCard(tx: Transaction, card: GiftCard, amount: number): GiftCard {
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

/** Whether money that the card paid can go back to it. SPENT is final, unless refund-to-card says otherwise. */
export function canRestore(tx: Transaction, { status, expires_at, balance }: GiftCard, amount: number): boolean {
  // A lapse can't be rejected, so an amount that the card can't hold goes to a new card (assumption: amounts).
  if (!Number.isSafeInteger(balance.value + amount)) return false;
  if (status === "ACTIVE") return true;
  return status === "SPENT" && expires_at > tx.now && tx.assumes("refund-to-card") === "card-reactivated";
}

/** Puts a refund or a correction on a card; a SPENT card becomes ACTIVE again. */
export function putBackOnCard(tx: Transaction, card: GiftCard, amount: number): GiftCard {
  const balance = { ...card.balance, value: mustBeExact(card.balance.value + amount) };
  return saveCard(tx, { ...card, balance, status: "ACTIVE" }, "gift_card.updated");
}

/**
 * Spends a card outside any order, at the host's till. The entry is an ADJUSTMENT, because no order of the sandbox
 * was paid.
 */
export function spendCard(tx: Transaction, card: GiftCard, amount: number): GiftCard {
  const spent = takeFromCard(tx, card, amount);
  recordChange(tx, card, -amount);
  return spent;
}

/** Sets the balance, in minor units. Zero makes the card SPENT. */
export function adjustCard(tx: Transaction, card: GiftCard, balance: number): GiftCard {
  mustBeActive(tx, card);
  const change = balance - card.balance.value;
  if (change === 0) return card;
  const adjusted = change < 0 ? takeFromCard(tx, card, -change) : putBackOnCard(tx, card, change);
  recordChange(tx, card, change);
  return adjusted;
}

/** Records an ADJUSTMENT of the liability, up or down, against the account of the same name. */
export function recordChange(tx: Transaction, card: GiftCard, change: number): void {
  const amount = Math.abs(change);
  const rows = [
    { type: "GIFT_CARD_LIABILITY", side: change > 0 ? "CREDIT" : "DEBIT", amount },
    { type: "ADJUSTMENT", side: change > 0 ? "DEBIT" : "CREDIT", amount },
  ] as const;
  record(tx, { kind: "ADJUSTMENT", currency: card.balance.currency }, [...rows], { gift_card_id: card.id });
}

/** Saves a card and emits one fact, so every change of a card is saved here. */
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
