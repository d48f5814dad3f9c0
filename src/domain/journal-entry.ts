// One entry of the journal, always balanced, and the documents that belong to it: a receipt for a sale, a credit note for a refund.
// Heading "Accounting journal entry"; assumptions: posting-rules, posting-types, journal-documents.
import type { Desk } from "./desk.ts";
import { after } from "./instant.ts";
import { price, sum } from "./money.ts";
import type { JournalEntry, Posting } from "./records.ts";
import { refuse } from "./refusal.ts";

export type PostingType = Posting["type"];
export type Side = "DEBIT" | "CREDIT";
export type References = Partial<Pick<JournalEntry, "order_id" | "booking_id" | "gift_card_id">>;
type Document = JournalEntry["documents"][number];

export interface Row {
  type: PostingType;
  side: Side;
  amount: number;
  vat_rate?: string;
  booking?: Posting["booking"];
}

const DOCUMENTS: Partial<Record<JournalEntry["kind"], Document["type"]>> = { SALE: "RECEIPT", REFUND: "CREDIT_NOTE" };

/** Nothing to post makes no entry. */
export function record(
  desk: Desk,
  kind: JournalEntry["kind"],
  currency: string,
  rows: readonly Row[],
  references: References,
): JournalEntry | undefined {
  const postings = rows.filter(({ amount }) => amount > 0);
  if (postings.length === 0) return undefined;
  const balance = sum(postings.map(({ side, amount }) => (side === "DEBIT" ? amount : -amount)));
  if (balance !== 0) throw new Error(`a ${kind} entry is out of balance by ${balance} ${currency}`);
  const entry: JournalEntry = {
    id: desk.newId(),
    kind,
    number: String(desk.nextNumber("entries")),
    occurred_at: desk.now,
    created_at: desk.now,
    currency,
    postings: postings.map(({ type, side, amount, vat_rate, booking }) => ({
      type,
      direction: side,
      amount: price(amount, currency),
      ...(vat_rate === undefined ? {} : { vat_rate }),
      ...(booking ? { booking } : {}),
    })),
    ...references,
    documents: [],
    activities: [],
  };
  return keepWithDocument(desk, entry);
}

/** Its document comes a minute later, at once, or never. */
function keepWithDocument(desk: Desk, entry: JournalEntry): JournalEntry {
  const [type, when] = [documentTypeOf(entry), desk.assumes("journal-documents")];
  const waits = type !== undefined && when !== "at-once" && when !== "never";
  const kept = waits ? { ...entry, document_due_at: after(desk.now, "PT1M") } : entry;
  desk.entries.put(kept);
  desk.tell("journal_entry.created", entry.id);
  return type !== undefined && when === "at-once" ? attachDocument(desk, kept, type) : kept;
}

/** The document that an entry of its kind has, if it has one. */
export function documentTypeOf({ kind }: JournalEntry): Document["type"] | undefined {
  return DOCUMENTS[kind];
}

export function attachDocument(desk: Desk, entry: JournalEntry, asked?: Document["type"]): JournalEntry {
  const { id, kind } = entry;
  const type = documentTypeOf(entry);
  if (type === undefined || (asked !== undefined && asked !== type)) {
    return refuse("DOCUMENT_NOT_OF_KIND", { journal_entry_id: id, kind, type: asked ?? "document" });
  }
  if (entry.documents.some((document) => document.type === type))
    refuse("DOCUMENT_EXISTS", { journal_entry_id: id, type });
  const document = { id: desk.newId(), type, url: "", created_at: desk.now };
  const { document_due_at: _, ...rest } = entry;
  const attached: JournalEntry = { ...rest, documents: [...entry.documents, document] };
  desk.entries.put(attached);
  desk.tell("journal_entry.document_attached", id);
  return attached;
}
