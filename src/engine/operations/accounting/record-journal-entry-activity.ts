// POST /v1/accounting-journal-entries/{journalEntryId}/activities. Heading "Accounting (Alpha)"; assumption: activity-body.

import { mustExist } from "../../domain/kernel/domain-error.ts";
import { recordActivity } from "../../domain/money/journal.ts";
import type { Operation } from "../operation.ts";

export const recordJournalEntryActivity: Operation<"recordJournalEntryActivity"> = {
  id: "recordJournalEntryActivity",
  answer(tx, { path, body }) {
    const entry = mustExist(tx.entries.get(path.journalEntryId), "journal entry", path.journalEntryId);
    return { status: 201, body: recordActivity(tx, entry, body) };
  },
};
