// A receipt or credit note comes for an entry before its time, or a second one. Assumption: journal-documents.

import { found } from "../domain/kernel/domain-error.ts";
import { attachDocument as attach } from "../domain/money/journal-entry.ts";
import { showEntry } from "../domain/money/shown-order.ts";
import { act } from "./act.ts";

export const attachDocument = act("attachDocument", (tx, { journal_entry_id, type }) => {
  const entry = found(tx.entries.get(journal_entry_id), "journal entry", journal_entry_id);
  return showEntry(tx, attach(tx, entry, type));
});
