// GET /v1/accounting-journal-entries, in the order in which the entries were booked. Assumption: journal-list.
import { ordered, two } from "../../domain/index-keys.ts";
import type { JournalEntry } from "../../domain/records.ts";
import { showEntry } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { readSpan } from "../span.ts";

export const listJournalEntries = read("listJournalEntries", (desk, { query }) => {
  const { from, until } = readSpan(query);
  return page(desk, {
    list: "listJournalEntries",
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (entry: JournalEntry) => two(entry.occurred_at, ordered(Number(entry.number))),
    behind: (past) => desk.entries.walk("occurred", { from, until, ...(past ? { past } : {}) }),
    show: (entry) => showEntry(desk, entry),
  });
});
