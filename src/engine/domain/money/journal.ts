// Records what people add to the journal: how external systems processed an entry, and manual corrections. Heading
// "Accounting journal entry"; assumptions: activity-body, posting-rules (recordAdjustment).

import { optional } from "../../../platform/optional.ts";
import { reject } from "../kernel/domain-error.ts";
import type { Activity, GiftCard, JournalEntry, Order } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { type PostingType, type References, record, type Side } from "./journal-entry.ts";
import { nameBooking } from "./ledger.ts";

/** The codes that the specification lists (assumption: activity-body). */
const KNOWN_DETAIL_CODES = new Set([
  "CONFIGURATION_INCOMPLETE",
  "CONFIGURATION_INVALID",
  "CONNECTION_REJECTED",
  "ACCESS_DENIED",
  "SALES_DOCUMENT_MISSING",
  "FINANCIAL_YEAR_MISSING",
  "PROVIDER_REJECTED",
  "UNKNOWN",
]);

interface ActivityInput {
  status: Activity["status"];
  detail: string;
  detail_code?: string;
}

/** Records how an external system processed an entry. An unknown code is stored as UNKNOWN; a success has none. */
export function recordActivity(
  tx: Transaction,
  entry: JournalEntry,
  { status, detail, detail_code }: ActivityInput,
): Activity {
  const code =
    detail_code === undefined || status === "SUCCEEDED"
      ? undefined
      : KNOWN_DETAIL_CODES.has(detail_code)
        ? detail_code
        : "UNKNOWN";
  const activity: Activity = {
    id: tx.newId(),
    status,
    detail,
    ...(code ? { detail_code: code } : {}),
    created_at: tx.now,
  };
  tx.entries.put({ ...entry, activities: [...entry.activities, activity] });
  tx.emit("journal_entry.activity_recorded", entry.id);
  return activity;
}

/** `amount` is in minor units. `direction` is that of `type`; the other side is ADJUSTMENT. */
interface AdjustmentInput {
  type: Exclude<PostingType, "ADJUSTMENT">;
  direction: Side;
  amount: number;
  currency: string;
  references: References;
}

const isOfBookings = (type: PostingType): boolean => type.startsWith("BOOKING_");

/** Adds the order of a booking, also of a moved one, or the booking of an order. */
function completeReferences(tx: Transaction, { order_id, booking_id, ...others }: References): References {
  const origin = tx.orders.get(order_id ?? "")?.origin;
  return {
    ...others,
    ...optional({
      order_id: order_id ?? tx.bookings.get(booking_id ?? "")?.order_id,
      booking_id: booking_id ?? (origin?.type === "BOOKING" ? origin.id : undefined),
    }),
  };
}

function findBooking(tx: Transaction, type: PostingType, { booking_id }: References) {
  if (booking_id !== undefined) return nameBooking(tx, booking_id);
  const what = `a posting to ${type} needs a booking. Set booking_id, or set order_id to the order of a booking.`;
  return reject("INVALID_INPUT", { path: "body.booking_id", what });
}

/** Records a manual correction against the account ADJUSTMENT. Rejects with INVALID_INPUT or CURRENCY_MISMATCH. */
export function recordAdjustment(
  tx: Transaction,
  { type, direction, amount, currency, references: given }: AdjustmentInput,
): JournalEntry {
  const references = completeReferences(tx, given);
  mustBelongTogether(tx, currency, references);
  const other = direction === "DEBIT" ? "CREDIT" : "DEBIT";
  const rows = [
    { type, side: direction, amount, ...(isOfBookings(type) && { booking: findBooking(tx, type, references) }) },
    { type: "ADJUSTMENT" as const, side: other, amount },
  ] as const;
  const cause = { kind: "act", id: "recordAdjustment" } as const;
  const entry = record(tx, { kind: "ADJUSTMENT", currency }, [...rows], { ...references, cause });
  return entry ?? reject("INVALID_INPUT", { path: "body.amount", what: "the amount must be at least 1." });
}

/** Rejects references that belong to different orders, and an amount in another currency. */
function mustBelongTogether(
  tx: Transaction,
  currency: string,
  { order_id, booking_id, gift_card_id }: References,
): void {
  const [order, card] = [tx.orders.get(order_id ?? ""), tx.giftCards.get(gift_card_id ?? "")];
  const booking = tx.bookings.get(booking_id ?? "");
  const rejectMember = (path: string, what: string) => reject("INVALID_INPUT", { path: `body.${path}`, what });
  if (order && booking && booking.order_id !== order.id)
    rejectMember("booking_id", `the order of ${booking.id} is ${booking.order_id}.`);
  if (order && card && !isOnOrder(card, order))
    rejectMember("gift_card_id", `${card.id} neither belongs to order ${order.id} nor paid it.`);
  // Order and card have the same currency here, so either decides.
  const own = card?.balance.currency ?? order?.currency;
  if (own !== undefined && own !== currency) reject("CURRENCY_MISMATCH", { given: currency, wanted: own });
}

function isOnOrder(card: GiftCard, order: Order): boolean {
  return (
    card.order_id === order.id ||
    order.transactions.some(({ details }) => details?.type === "GIFTCARD" && details.gift_card_id === card.id)
  );
}
