// Books the money of an order in the journal: payments, refunds, and the revenue that follows from them. Heading "Accounting
// journal entry"; assumptions: posting-rules, ledger-identity, cancel-keeps-money.

import type { EntryCause, Order, OrderLine, Posting } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { type PostingRow, type PostingType, type References, record, type Side } from "./journal-entry.ts";
import { roundHalfUp, sum, toRate } from "./money.ts";
import { getHeld } from "./order.ts";

/** The share of each line of an order in minor units, in the lines' order. */
type Split = readonly number[];

const opposite = { DEBIT: "CREDIT", CREDIT: "DEBIT" } as const;

/** `account` is the other side of the money that is split over the order's lines. */
interface MoneyMovement {
  split: Split;
  account: PostingType;
  cause: EntryCause;
  card?: string | undefined;
}

/** Books the SALE of a captured amount. */
export function bookSale(tx: Transaction, order: Order, moved: MoneyMovement): void {
  const rows = makeRows(tx, order, moved.split, "CREDIT");
  const own = { type: moved.account, side: "DEBIT", amount: sum(moved.split) } as const;
  record(tx, { kind: "SALE", currency: order.currency }, [own, ...rows], toReferences(order, moved));
}

/** Books a REFUND, which mirrors SALE. */
export function bookRefund(tx: Transaction, order: Order, moved: MoneyMovement): void {
  const rows = makeRows(tx, order, moved.split, "DEBIT");
  const own = { type: moved.account, side: "CREDIT", amount: sum(moved.split) } as const;
  record(tx, { kind: "REFUND", currency: order.currency }, [...rows, own], toReferences(order, moved));
}

/**
 * Books the difference between earned and recognised revenue, so that a second call books nothing. Returns the order
 * with its updated lines. `cause` is the payment or refund that changed the revenue.
 */
export function followRevenue(tx: Transaction, order: Order, cause = findEarningCause(tx, order)): Order {
  if (!order.earned_at || order.origin.type !== "BOOKING") return order;
  const changes = order.line_items.map((line) =>
    // Fees are revenue from the start (assumption: booking-fee).
    isFee(line) ? 0 : toNet(line, getEarned(order, line)) - line.recognised,
  );
  const booking = nameBooking(tx, order.origin.id);
  for (const [kind, sign] of [
    ["REVENUE_RECOGNITION", 1],
    ["REVENUE_RECOGNITION_REVERSAL", -1],
  ] as const) {
    // An entry has one kind, so lines that gain and lines that lose are booked separately.
    const parts = changes.map((change) => Math.max(0, change * sign));
    const side = sign === 1 ? "DEBIT" : "CREDIT";
    const rows = groupRates(order, parts).flatMap(({ vat_rate, amount }) => [
      { type: "BOOKING_PREPAYMENT", side, amount, vat_rate, booking } as const,
      { type: "BOOKING_REVENUE", side: opposite[side], amount, vat_rate, booking } as const,
    ]);
    record(tx, { kind, currency: order.currency }, rows, toReferences(order, { split: parts, cause }));
  }
  const line_items = order.line_items.map((line, index) => ({
    ...line,
    recognised: line.recognised + (changes[index] ?? 0),
  }));
  return { ...order, line_items };
}

/** Returns what is captured and not refunded. For a cancelled order, pending refunds are subtracted as well. */
export function getEarned(order: Order, line: OrderLine): number {
  return order.status === "CANCELLED" ? getHeld(order, line) : line.captured - line.refunded;
}

/** Returns the net part of a line's money. The parts of a line add up to gross − VAT exactly. */
export function toNet(line: OrderLine, money: number): number {
  return line.gross === 0 ? 0 : roundHalfUp(money, line.gross - line.vat, line.gross);
}

export function isFee(line: OrderLine): boolean {
  return line.product_type === "BOOKING_FEE";
}

/** Builds the rows that balance PAYMENT or another account when an order's lines are sold. */
function makeRows(tx: Transaction, order: Order, split: Split, side: Side): PostingRow[] {
  if (order.origin.type === "GIFTCARD") return [{ type: "GIFT_CARD_LIABILITY", side, amount: sum(split) }];
  const booking = nameBooking(tx, order.origin.id);
  // The other lines get zero, so that positions stay those of the order.
  const pick = (fee: boolean) => order.line_items.map((line, index) => (isFee(line) === fee ? (split[index] ?? 0) : 0));
  const toRows = (type: PostingType, fee: boolean) =>
    groupRates(order, pick(fee)).map((row) => ({ type, side, ...row, booking }));
  return [...toRows("BOOKING_PREPAYMENT", false), ...toRows("BOOKING_FEE_REVENUE", true)];
}

/** A posting has one VAT rate, so money is grouped by it. */
function groupRates(order: Order, split: Split): { vat_rate: string; amount: number }[] {
  const rates = new Map<string, { vat_rate: string; amount: number }>();
  order.line_items.forEach((line, index) => {
    const rate = toRate(line.vat_rate);
    // The rate is spelled as in the first line.
    const { vat_rate, amount } = rates.get(rate) ?? { vat_rate: line.vat_rate ?? "0", amount: 0 };
    rates.set(rate, { vat_rate, amount: amount + (split[index] ?? 0) });
  });
  return [...rates.values()].filter(({ amount }) => amount > 0);
}

/** Returns the details of a booking for a posting to an account of bookings. */
export function nameBooking(tx: Transaction, id: string): NonNullable<Posting["booking"]> {
  const booking = tx.bookings.get(id);
  const event = booking && tx.events.get(booking.event_id);
  const location_ids = [...new Set(event?.sessions.map((session) => session.location_id))];
  return { experience_id: booking?.experience_id ?? "", location_ids };
}

/** Finds what makes the money of an order earned: the end of its event, or the end of its booking. */
function findEarningCause(tx: Transaction, { status, origin }: Order): EntryCause {
  const event = status === "CANCELLED" ? undefined : tx.bookings.get(origin.id)?.event_id;
  return event === undefined ? { kind: "booking", id: origin.id } : { kind: "event", id: event };
}

function toReferences(order: Order, { split, cause, card }: Omit<MoneyMovement, "account">): References {
  const origin = order.origin.type === "BOOKING" ? { booking_id: order.origin.id } : { gift_card_id: order.origin.id };
  return { order_id: order.id, ...(card ? { gift_card_id: card } : {}), ...origin, cause, parts: [...split] };
}
