// Acts on the accounting journal: entries by hand, and documents of entries. Assumptions: posting-rules, journal-documents.

import { optional } from "../../platform/optional.ts";
import { mustExist } from "../domain/kernel/domain-error.ts";
import { loadBooking, loadOrder } from "../domain/kernel/lookups.ts";
import { recordAdjustment } from "../domain/money/journal.ts";
import { attachDocument } from "../domain/money/journal-entry.ts";
import { showEntry } from "../domain/money/order-view.ts";
import { getCard } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { getCurrency, toMinorPaid } from "./fields.ts";

export const journalActs = [
  // Corrects an account, against ADJUSTMENT.
  act("recordAdjustment", (tx, { type, direction, amount, order_id, booking_id, gift_card_id }) => {
    const order = order_id === undefined ? undefined : loadOrder(tx, order_id);
    const booking = booking_id === undefined ? undefined : loadBooking(tx, booking_id);
    const card = gift_card_id === undefined ? undefined : getCard(tx, gift_card_id);
    const priced = order ?? (booking && loadOrder(tx, booking.order_id));
    const currency = getCurrency(tx, amount, "body.amount", card?.balance.currency ?? priced?.currency);
    const minor = toMinorPaid(amount, currency, "body.amount");
    // A card may be named by its code.
    const references = optional({ order_id, booking_id, gift_card_id: card?.id });
    return showEntry(tx, recordAdjustment(tx, { type, direction, amount: minor, currency, references }));
  }),

  // Attaches a receipt or credit note before it is due, or a second document.
  act("attachDocument", (tx, { journal_entry_id, type }) => {
    const entry = mustExist(tx.entries.get(journal_entry_id), "journal entry", journal_entry_id);
    return showEntry(tx, attachDocument(tx, entry, type));
  }),
];
