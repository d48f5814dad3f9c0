// Triggers the journal kinds. Heading "Event kinds"; assumptions: posting-rules (manual adjustment), journal-documents.

import { toCustomer } from "../../domain/booking/customer.ts";
import { sellCard } from "../../domain/gift-card/card-sale.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { loadBooking, loadOrder } from "../../domain/kernel/lookups.ts";
import type { JournalEntry } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { recordAdjustment } from "../../domain/money/journal.ts";
import { attachDocument, getDocumentType } from "../../domain/money/journal-entry.ts";
import { showEntry } from "../../domain/money/order-view.ts";
import { pay } from "../../domain/money/payment.ts";
import { applyInputs, readChoice, readId, type Trigger, type TriggerInput } from "./input.ts";

/** Records an adjustment of 100 minor units against SETTLEMENT. */
export const createEntry: Trigger = (tx, inputs) => {
  const direction = readChoice(inputs, "direction", ["DEBIT", "CREDIT"]);
  const references = createReferences(tx, inputs);
  const sample = { amount: 100, currency: tx.company.get("company")?.currency ?? "DKK", direction, ...references };
  const { amount, currency } = applyInputs(sample, inputs);
  recordAdjustment(tx, { type: "SETTLEMENT", direction, amount, currency, references });
  const id = tx.facts.findLast(({ fact }) => fact === "journal_entry.created")?.id ?? "";
  return showEntry(tx, mustExist(tx.entries.get(id), "journal entry", id));
};

export const attach: Trigger = (tx, inputs) => {
  const entry = findEntry(tx, inputs);
  applyInputs({ journal_entry_id: entry.id }, inputs);
  // If documents are attached immediately, a new sale already has its document.
  const attached = tx.facts.some(({ fact, id }) => fact === "journal_entry.document_attached" && id === entry.id);
  return showEntry(tx, attached ? entry : attachDocument(tx, entry));
};

function createReferences(tx: Transaction, inputs: TriggerInput) {
  const order = readId(inputs, "order_id");
  const booking = readId(inputs, "booking_id");
  return {
    ...(order === undefined ? {} : { order_id: loadOrder(tx, order).id }),
    ...(booking === undefined ? {} : { booking_id: loadBooking(tx, booking).id }),
  };
}

/** Returns the entry in the input, the newest entry without its document, or the entry of a new sale. */
function findEntry(tx: Transaction, inputs: TriggerInput): JournalEntry {
  const id = readId(inputs, "journal_entry_id");
  if (id !== undefined) return mustExist(tx.entries.get(id), "journal entry", id);
  for (const entry of tx.entries.walk("occurred", { descending: true }))
    if (entry.documents.length === 0 && getDocumentType(entry)) return entry;
  const { currency } = mustExist(tx.company.get("company"), "company", "company");
  const { order } = sellCard(tx, { value: 100, currency, customer: toCustomer({}) });
  // The payment creates an entry that accepts a receipt document.
  pay(tx, order, {});
  const created = tx.facts.findLast(({ fact }) => fact === "journal_entry.created")?.id ?? "";
  return mustExist(tx.entries.get(created), "journal entry", created);
}
