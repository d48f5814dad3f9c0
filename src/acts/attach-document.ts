// A receipt or credit note comes for an entry before its time, or a second one. Assumption: journal-documents.
import { attachDocument as attach } from "../domain/journal-entry.ts";
import { found } from "../domain/refusal.ts";
import { showEntry } from "../domain/shown-order.ts";
import { act } from "./act.ts";

export const attachDocument = act("attachDocument", (desk, { journal_entry_id, type }) => {
  const entry = found(desk.entries.get(journal_entry_id), "journal entry", journal_entry_id);
  return showEntry(desk, attach(desk, entry, type));
});
