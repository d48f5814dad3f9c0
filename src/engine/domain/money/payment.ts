// Records payments: a transaction on an order, the shares of its lines, and the SALE entry, always together. Assumptions:
// transaction, processors, posting-rules ("Captures …").

import { mustBeActive, mustHold, takeFromCard } from "../gift-card/gift-card.ts";
import { must } from "../kernel/checks.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import type { GiftCard, Order, OrderTransaction, TransactionStatus } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { move, transactionStates } from "../kernel/transitions.ts";
import type { PostingType } from "./journal-entry.ts";
import { bookSale, followRevenue } from "./ledger.ts";
import { price, share } from "./money.ts";
import { computeOpenAmount, describePending, formatLimitAdvice, getCaptured, settle } from "./order.ts";

type Provider = OrderTransaction["provider"];

export interface PaymentInput {
  provider?: Provider;
  /** The amount in minor units. The default is the open amount, or what the gift card holds of it. */
  amount?: number;
  /** The id or the code of a card. */
  gift_card_id?: string;
  status?: TransactionStatus;
  details?: OrderTransaction["details"];
}

/**
 * Adds a transaction; a COMPLETED one captures. Returns the order afterwards. Rejects with ORDER_NOT_PAYABLE,
 * AMOUNT_TOO_HIGH, NOTHING_TO_PAY, and for cards GIFT_CARD_NOT_ACTIVE, GIFT_CARD_BALANCE_TOO_LOW or
 * CURRENCY_MISMATCH. `isNew`: a rejection undoes the order, so its message does not name it.
 */
export function pay(tx: Transaction, order: Order, input: PaymentInput, isNew = false): Order {
  const { id, status: state } = order;
  const notPayable = state === "CANCELLED" && { order_id: id, status: state };
  must(tx, "ORDER_NOT_PAYABLE", notPayable, () => `order ${id} is ${state}`);
  const card = findCard(tx, order, input);
  const provider: Provider = input.provider ?? (card ? "GIFTCARD" : "PLATFORM_PAY");
  const status = input.status ?? "COMPLETED";
  const open = computeOpenAmount(order);
  // A card pays what it can, and the rest stays open.
  const amount = input.amount ?? (card ? Math.min(open, card.balance.value) : open);
  const describeAmounts = () => `${amount} of the ${open} that is open`;
  const waiting = isNew ? undefined : describePending("payment", order.transactions);
  const of = isNew ? "the order of the booking" : `order ${id}`;
  const tooHigh = amount > open && { amount, open, of, todo: formatLimitAdvice(waiting) };
  must(tx, "AMOUNT_TOO_HIGH", tooHigh, describeAmounts);
  const why = waiting ?? `its payment_status is ${order.payment_status}`;
  must(tx, "NOTHING_TO_PAY", amount === 0 && { order_id: id, why }, describeAmounts);
  // The balance is checked here, because a pending payment takes nothing yet.
  if (card) mustHold(tx, card, amount);
  const details = input.details ?? (card ? { type: "GIFTCARD" as const, gift_card_id: card.id } : undefined);
  const transaction: OrderTransaction = {
    id: tx.newId(),
    status,
    provider,
    amount: price(amount, order.currency),
    created_at: tx.now,
    ...(details ? { details } : {}),
  };
  const added = { ...order, transactions: [...order.transactions, transaction] };
  return status === "COMPLETED" ? capture(tx, added, transaction) : saveOrder(tx, added);
}

/** Finds the card that a payment names. A card pays only as GIFTCARD. */
function findCard(tx: Transaction, order: Order, { gift_card_id, provider }: PaymentInput): GiftCard | undefined {
  if (gift_card_id === undefined) {
    if (provider !== "GIFTCARD") return undefined;
    return reject("INVALID_INPUT", { path: "gift_card_id", what: "a payment by GIFTCARD needs a card." });
  }
  if (provider !== undefined && provider !== "GIFTCARD") {
    reject("INVALID_INPUT", {
      path: "provider",
      what: `a gift card can't pay as ${provider}. Leave the provider out.`,
    });
  }
  const card = getCard(tx, gift_card_id);
  mustBeActive(tx, card);
  const [given, wanted] = [card.balance.currency, order.currency];
  must(
    tx,
    "CURRENCY_MISMATCH",
    given !== wanted && { given, wanted },
    () => `the card is in ${given}, the order in ${wanted}`,
  );
  return card;
}

/** Ends a pending payment. Rejects with TRANSACTION_NOT_FOUND or WRONG_STATE. */
export function endPayment(tx: Transaction, order: Order, transactionId: string, status: TransactionStatus): Order {
  const transaction = order.transactions.find(({ id }) => id === transactionId);
  if (!transaction)
    return reject("TRANSACTION_NOT_FOUND", { order_id: order.id, kind: "transaction", id: transactionId });
  const ended = {
    ...transaction,
    status: move(transactionStates, transaction.id, transaction.status, status) as TransactionStatus,
  };
  const transactions = order.transactions.map((each) => (each.id === ended.id ? ended : each));
  const next = { ...order, transactions };
  return status === "COMPLETED" ? capture(tx, next, ended) : saveOrder(tx, next);
}

/** Captures money. Shares, card, journal and revenue change together, so that the books add up. */
function capture(tx: Transaction, order: Order, transaction: OrderTransaction): Order {
  // The money is split by what each line still owes.
  const split = share(
    transaction.amount.value,
    order.line_items.map((line) => line.gross - line.captured),
  );
  const line_items = order.line_items.map((line, index) => ({
    ...line,
    captured: line.captured + (split[index] ?? 0),
  }));
  const card = transaction.details?.type === "GIFTCARD" ? transaction.details.gift_card_id : undefined;
  // The card pays first: if it was spent since, the payment is rejected.
  if (card) takeFromCard(tx, getCard(tx, card), transaction.amount.value);
  const captured = { ...order, line_items };
  const cause = { kind: "transaction", id: transaction.id } as const;
  bookSale(tx, captured, { split, account: getAccount(transaction.provider), cause, card });
  const saved = saveOrder(tx, followRevenue(tx, captured, cause));
  // The fact is emitted each time the last open amount is paid: an order that grows can be paid twice.
  if (getCaptured(saved) >= saved.totals.amount.value) tx.emit("order.paid", order.id);
  return saved;
}

/** Returns the account of the other side of a payment or refund. */
export function getAccount(provider: string): PostingType {
  if (provider === "GIFTCARD") return "GIFT_CARD_LIABILITY";
  return provider === "SETTLEMENT" ? "SETTLEMENT" : "PAYMENT";
}

/** Finds a card by its id, or by the code printed on it. */
export function getCard(tx: Transaction, idOrCode: string): GiftCard {
  return mustExist(tx.giftCards.get(idOrCode) ?? tx.giftCards.where("code", idOrCode)[0], "gift card", idOrCode);
}

/** Saves an order with updated derived values. */
export function saveOrder(tx: Transaction, order: Order): Order {
  const settled = settle(order, tx.now);
  tx.orders.put(settled);
  tx.emit("order.updated", order.id);
  return settled;
}
