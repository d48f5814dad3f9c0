// GET /v1/accounting-journal-entries, in the order in which the entries were booked. Assumption: journal-list.
import { joinKeys, toSortable } from "../../domain/kernel/index-keys.ts";
import type { JournalEntry } from "../../domain/kernel/records.ts";
import { showEntry } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { readSpan } from "../time-range.ts";

export const listJournalEntries = read("listJournalEntries", (tx, { query }) => {
  const { from, until } = readSpan(query);
  return page(tx, {
    list: "listJournalEntries",
    query,
    keyOf: (entry: JournalEntry) => joinKeys(entry.occurred_at, toSortable(Number(entry.number))),
    behind: (past) => tx.entries.walk("occurred", { from, until, ...(past ? { past } : {}) }),
    show: (entry) => showEntry(tx, entry),
  });
});
