// GET /v1/accounting-journal-entries. Assumption: journal-list.
import type { JournalEntry } from "../../domain/records.ts";
import { showEntry } from "../../domain/shown.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { readSpan } from "../span.ts";

export const listJournalEntries = read("listJournalEntries", (desk, { query }) => {
  const { from, until } = readSpan(query);
  return page(desk, {
    list: "listJournalEntries",
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (entry: JournalEntry) => entry.occurred_at,
    behind: (past) => desk.entries.walk("occurred", { from, until, ...(past ? { past } : {}) }),
    show: (entry) => showEntry(desk, entry),
  });
});
