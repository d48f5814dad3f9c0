// POST /v1/accounting-journal-entries/{journalEntryId}/activities. Heading "Accounting (Alpha)"; assumption: activity-body.
import { recordActivity } from "../../domain/journal.ts";
import { found } from "../../domain/refusal.ts";
import type { Operation } from "../operation.ts";

export const recordJournalEntryActivity: Operation<"recordJournalEntryActivity"> = {
  id: "recordJournalEntryActivity",
  answer(desk, { path, body }) {
    const entry = found(desk.entries.get(path.journalEntryId), "journal entry", path.journalEntryId);
    return { status: 201, body: recordActivity(desk, entry, body) };
  },
};
