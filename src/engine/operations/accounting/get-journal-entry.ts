// GET /v1/accounting-journal-entries/{journalEntryId}. Heading "Accounting (Alpha)"; assumption: journal-fields.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { showEntry } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const getJournalEntry = read("getJournalEntry", (tx, { path }) =>
  showEntry(tx, mustExist(tx.entries.get(path.journalEntryId), "journal entry", path.journalEntryId)),
);
