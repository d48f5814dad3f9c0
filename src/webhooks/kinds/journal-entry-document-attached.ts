// A receipt or credit note was attached to an entry. Heading "Event kinds"; assumption: payload-journal.
import type { Kind } from "./kind.ts";
import { ofEntry } from "./payloads.ts";

export const journalEntryDocumentAttached: Kind<"v1.journal_entry.document_attached"> = {
  kind: "v1.journal_entry.document_attached",
  facts: ["journal_entry.document_attached"],
  payload: ofEntry,
};
