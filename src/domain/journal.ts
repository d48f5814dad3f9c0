// What is added to a journal entry after it was booked: documents, and how external systems processed it.
// Heading "Accounting journal entry"; assumptions: journal-documents, activity-body, posting-rules (recordAdjustment).
import type { Desk } from "./desk.ts";
import { bookingNamed, type PostingType, record } from "./ledger.ts";
import type { Activity, JournalEntry } from "./records.ts";
import { refuse } from "./refusal.ts";

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

export interface ActivityWish {
  status: Activity["status"];
  detail: string;
  detail_code?: string;
}

/** An unrecognised code is kept as UNKNOWN; a success has none. */
export function recordActivity(
  desk: Desk,
  entry: JournalEntry,
  { status, detail, detail_code }: ActivityWish,
): Activity {
  const code =
    detail_code === undefined || status === "SUCCEEDED"
      ? undefined
      : KNOWN_DETAIL_CODES.has(detail_code)
        ? detail_code
        : "UNKNOWN";
  const activity: Activity = {
    id: desk.newId(),
    status,
    detail,
    ...(code ? { detail_code: code } : {}),
    created_at: desk.now,
  };
  desk.entries.put({ ...entry, activities: [...entry.activities, activity] });
  desk.tell("journal_entry.activity_recorded", entry.id);
  return activity;
}

type DocumentType = JournalEntry["documents"][number]["type"];

export function documentTypeOf(entry: JournalEntry): DocumentType {
  return entry.kind === "REFUND" ? "CREDIT_NOTE" : "RECEIPT";
}

export function attachDocument(desk: Desk, entry: JournalEntry, type: DocumentType): JournalEntry {
  if (entry.documents.some((document) => document.type === type))
    refuse("DOCUMENT_EXISTS", { journal_entry_id: entry.id, type });
  const document = { id: desk.newId(), type, url: "", created_at: desk.now };
  const { document_due_at, ...rest } = entry;
  const stillDue = document_due_at !== undefined && type !== documentTypeOf(entry) ? { document_due_at } : {};
  const attached: JournalEntry = { ...rest, ...stillDue, documents: [...entry.documents, document] };
  desk.entries.put(attached);
  desk.tell("journal_entry.document_attached", entry.id);
  return attached;
}

export interface AdjustmentWish {
  type: PostingType;
  direction: "DEBIT" | "CREDIT";
  amount: number;
  currency: string;
  references: Partial<Pick<JournalEntry, "order_id" | "booking_id" | "gift_card_id">>;
}

const isOfBookings = (type: PostingType): boolean => type.startsWith("BOOKING_");

function bookingMeant(desk: Desk, type: PostingType, { booking_id, order_id }: AdjustmentWish["references"]) {
  const origin = desk.orders.get(order_id ?? "")?.origin;
  const id = booking_id ?? (origin?.type === "BOOKING" ? origin.id : undefined);
  if (id !== undefined) return bookingNamed(desk, id);
  const what = `a posting to ${type} is about a booking. Name one, or in order_id the order of one.`;
  return refuse("INVALID_INPUT", { place: "body.booking_id", what });
}

/** A correction by hand, against the account ADJUSTMENT. */
export function recordAdjustment(
  desk: Desk,
  { type, direction, amount, currency, references }: AdjustmentWish,
): JournalEntry {
  const other = direction === "DEBIT" ? "CREDIT" : "DEBIT";
  const rows = [
    { type, side: direction, amount, ...(isOfBookings(type) && { booking: bookingMeant(desk, type, references) }) },
    { type: "ADJUSTMENT" as const, side: other, amount },
  ] as const;
  const entry = record(desk, "ADJUSTMENT", currency, [...rows], references);
  return (
    entry ??
    refuse("INVALID_INPUT", { place: "body.amount", what: "an adjustment of nothing is none. Name at least 1." })
  );
}
