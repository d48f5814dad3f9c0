// Writes entries of the journal, which always balance, and their documents: a receipt for a sale, a credit note for a
// refund. Heading "Accounting journal entry"; assumptions: posting-rules, posting-types, journal-documents.

import { reject } from "../kernel/domain-error.ts";
import { after } from "../kernel/instant.ts";
import type { JournalEntry, Posting } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { price, sum } from "./money.ts";

export type PostingType = Posting["type"];
export type Side = "DEBIT" | "CREDIT";
export type References = Partial<Pick<JournalEntry, "order_id" | "booking_id" | "gift_card_id" | "cause" | "parts">>;
type JournalDocument = JournalEntry["documents"][number];

/** `amount` is in minor units and never negative; `side` gives the direction. */
export interface PostingRow {
  type: PostingType;
  side: Side;
  amount: number;
  vat_rate?: string;
  booking?: Posting["booking"];
}

const DOCUMENTS: Partial<Record<JournalEntry["kind"], JournalDocument["type"]>> = {
  SALE: "RECEIPT",
  REFUND: "CREDIT_NOTE",
};

/** Records an entry, unless there is nothing to post. Its document follows a minute later, at once, or never. */
export function record(
  tx: Transaction,
  { kind, currency }: Pick<JournalEntry, "kind" | "currency">,
  rows: readonly PostingRow[],
  references: References,
): JournalEntry | undefined {
  // Rows of 0 are dropped, so callers need not check.
  const postings = rows.filter(({ amount }) => amount > 0);
  if (postings.length === 0) return undefined;
  const balance = sum(postings.map(({ side, amount }) => (side === "DEBIT" ? amount : -amount)));
  // An unbalanced entry is a bug and not an input error, so it is not a rejection.
  if (balance !== 0) throw new Error(`a ${kind} entry is out of balance by ${balance} ${currency}`);
  const [type, when] = [DOCUMENTS[kind], tx.assumes("journal-documents")];
  const waits = type !== undefined && when !== "at-once" && when !== "never";
  const entry: JournalEntry = {
    id: tx.newId(),
    kind,
    number: String(tx.nextNumber("entries")),
    occurred_at: tx.now,
    created_at: tx.now,
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
    ...(waits ? { document_due_at: after(tx.now, "PT1M") } : {}),
  };
  tx.entries.put(entry);
  tx.emit("journal_entry.created", entry.id);
  return type !== undefined && when === "at-once" ? attachDocument(tx, entry, type) : entry;
}

/** Returns the type of document for an entry of this kind, if it has one. */
export function getDocumentType({ kind }: JournalEntry): JournalDocument["type"] | undefined {
  return DOCUMENTS[kind];
}

/** Attaches a document, called by the clock or by an act. Rejects with DOCUMENT_NOT_OF_KIND or DOCUMENT_EXISTS. */
export function attachDocument(
  tx: Transaction,
  entry: JournalEntry,
  requested?: JournalDocument["type"],
): JournalEntry {
  const { id, kind } = entry;
  const type = getDocumentType(entry);
  if (type === undefined || (requested !== undefined && requested !== type)) {
    return reject("DOCUMENT_NOT_OF_KIND", { journal_entry_id: id, kind, type: requested ?? "document" });
  }
  if (entry.documents.some((document) => document.type === type))
    reject("DOCUMENT_EXISTS", { journal_entry_id: id, type });
  // The address is created on display, because the port may differ at the next start.
  const document = { id: tx.newId(), type, url: "", created_at: tx.now };
  const { document_due_at: _, ...rest } = entry;
  const attached: JournalEntry = { ...rest, documents: [...entry.documents, document] };
  tx.entries.put(attached);
  tx.emit("journal_entry.document_attached", id);
  return attached;
}
