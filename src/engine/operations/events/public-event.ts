// An event that can be read by id: a deleted one is gone (assumption: event-transitions).

import { found } from "../../domain/kernel/domain-error.ts";
import type { ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";

export function publicEvent(tx: Transaction, id: string): ScheduledEvent {
  const event = tx.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}
