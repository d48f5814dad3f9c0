// An entry of the accounting journal was recorded. Heading "Event kinds"; assumption: payload-journal.
import type { Kind } from "./kind.ts";
import { ofEntry } from "./payloads.ts";

export const journalEntryCreated: Kind<"v1.journal_entry.created"> = {
  kind: "v1.journal_entry.created",
  facts: ["journal_entry.created"],
  payload: ofEntry,
};
