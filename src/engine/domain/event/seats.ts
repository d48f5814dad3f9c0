// Stores the seats of an event after a sale or a return. `updated_at` changes exactly when v1.event.updated is sent.
// Assumption: capacity-kind.

import type { ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { markChanged } from "./event.ts";

/** Saves an event after a sale or a return. An event that is over emits no fact. */
export function keepSold(tx: Transaction, event: ScheduledEvent): void {
  const known = tx.events.get(event.id);
  const isOver = event.state === "CANCELLED" || event.state === "COMPLETED" || event.deleted_at !== undefined;
  const isAnnounced = tx.assumes("capacity-kind") === "event-updated" && !isOver;
  if (isAnnounced && known?.capacity.reserved !== event.capacity.reserved) markChanged(tx, event);
  else tx.events.put(event);
}
