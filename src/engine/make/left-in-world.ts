// What is read of a world of a run when the world is removed: its messages and subscriptions, and the bookings that its requests made.
import type { Schemas } from "../../contract/schemas.ts";
import { findRecord, getRecordPage } from "../app/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { LogEntry } from "../log/view.ts";
import { listMessages } from "../webhooks/messages.ts";

/** As the control API answers each; more of one kind is not read of any run. */
const MOST = 1000;

export function readLeftInWorld(tx: Transaction, requests: readonly LogEntry[]): Schemas["LeftInWorld"] {
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const bookings = [...new Set(made.map(({ id }) => id))].flatMap((id) => {
    const view = findRecord(tx, "bookings", id);
    return view ? { record: view.record, references: view.references } : [];
  });
  return {
    messages: listMessages(tx, { limit: MOST }).items,
    subscriptions: getRecordPage(tx, "subscriptions", { limit: MOST }).items,
    bookings,
  };
}
