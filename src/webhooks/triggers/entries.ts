// Triggers of the journal kinds. Heading "Event kinds"; assumptions: posting-rules (an adjustment by hand), journal-documents.
import { sellCard } from "../../domain/card-sale.ts";
import { customerOf } from "../../domain/customer.ts";
import type { Desk } from "../../domain/desk.ts";
import { recordAdjustment } from "../../domain/journal.ts";
import { attachDocument, documentTypeOf } from "../../domain/journal-entry.ts";
import { pay } from "../../domain/payment.ts";
import type { JournalEntry } from "../../domain/records.ts";
import { found } from "../../domain/refusal.ts";
import { showEntry } from "../../domain/shown-order.ts";
import type { Trigger } from "./trigger.ts";
import { idIn, oneOf, type Wishes, wished } from "./wish.ts";

export const journalEntryCreated: Trigger = (desk, wishes) => {
  const direction = oneOf(wishes, "direction", ["DEBIT", "CREDIT"]);
  const references = referencesOf(desk, wishes);
  const sample = { amount: 100, currency: desk.company.get("company")?.currency ?? "DKK", direction, ...references };
  const { amount, currency } = wished(sample, wishes);
  recordAdjustment(desk, { type: "SETTLEMENT", direction, amount, currency, references });
  const id = desk.facts.findLast(({ fact }) => fact === "journal_entry.created")?.id ?? "";
  return showEntry(desk, found(desk.entries.get(id), "journal entry", id));
};

export const documentAttached: Trigger = (desk, wishes) => {
  const entry = entryFor(desk, wishes);
  wished({ journal_entry_id: entry.id }, wishes);
  // Where documents come at once, a sale that was just made has its own.
  const attached = desk.facts.some(({ fact, id }) => fact === "journal_entry.document_attached" && id === entry.id);
  return showEntry(desk, attached ? entry : attachDocument(desk, entry));
};

function referencesOf(desk: Desk, wishes: Wishes) {
  const order = idIn(wishes, "order_id");
  const booking = idIn(wishes, "booking_id");
  return {
    ...(order === undefined ? {} : { order_id: found(desk.orders.get(order), "order", order).id }),
    ...(booking === undefined ? {} : { booking_id: found(desk.bookings.get(booking), "booking", booking).id }),
  };
}

/** The named one, or the newest that has not got its document, or a sale that is made for it. */
function entryFor(desk: Desk, wishes: Wishes): JournalEntry {
  const id = idIn(wishes, "journal_entry_id");
  if (id !== undefined) return found(desk.entries.get(id), "journal entry", id);
  for (const entry of desk.entries.walk("occurred", { descending: true }))
    if (entry.documents.length === 0 && documentTypeOf(entry)) return entry;
  const { currency } = found(desk.company.get("company"), "company", "company");
  const { order } = sellCard(desk, { value: 100, currency, customer: customerOf({}) });
  pay(desk, order, {});
  const made = desk.facts.findLast(({ fact }) => fact === "journal_entry.created")?.id ?? "";
  return found(desk.entries.get(made), "journal entry", made);
}
