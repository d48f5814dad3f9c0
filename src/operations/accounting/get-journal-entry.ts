// GET /v1/accounting-journal-entries/{journalEntryId}. Heading "Accounting (Alpha)"; assumption: journal-fields.
import { found } from "../../domain/refusal.ts";
import { showEntry } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";

export const getJournalEntry = read("getJournalEntry", (desk, { path }) =>
  showEntry(desk, found(desk.entries.get(path.journalEntryId), "journal entry", path.journalEntryId)),
);
