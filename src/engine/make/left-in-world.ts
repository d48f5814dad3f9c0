// Reads what is kept of a run's world when it is removed: its messages and subscriptions, and the bookings that its requests
// created.
import type { Schemas } from "../../contract/schemas.ts";
import { findRecord, getRecordPage } from "../app/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { LogEntry } from "../log/view.ts";
import { listMessages } from "../webhooks/messages.ts";

/** The limit of records per kind, as in responses of the control API. */
const MAX_RECORDS_PER_KIND = 1000;

export function readLeftInWorld(tx: Transaction, requests: readonly LogEntry[]): Schemas["LeftInWorld"] {
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const bookings = [...new Set(made.map(({ id }) => id))].flatMap((id) => {
    const view = findRecord(tx, "bookings", id);
    return view ? { record: view.record, references: view.references } : [];
  });
  return {
    messages: listMessages(tx, { limit: MAX_RECORDS_PER_KIND }).items,
    subscriptions: getRecordPage(tx, "subscriptions", { limit: MAX_RECORDS_PER_KIND }).items,
    bookings,
  };
}
