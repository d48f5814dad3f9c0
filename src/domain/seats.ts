// The seats of an event taken and given back. Its `updated_at` moves exactly when v1.event.updated is sent. Assumption: capacity-kind.
import type { Desk } from "./desk.ts";
import { changed } from "./event.ts";
import type { ScheduledEvent } from "./records.ts";

/** Keeps an event of which something was sold or given back; where that is to be told, an event that is over does not tell of it. */
export function keepSold(desk: Desk, event: ScheduledEvent): void {
  const known = desk.events.get(event.id);
  const isOver = event.state === "CANCELLED" || event.state === "COMPLETED" || event.deleted_at !== undefined;
  const isTold = desk.assumes("capacity-kind") === "event-updated" && !isOver;
  if (isTold && known?.capacity.reserved !== event.capacity.reserved) changed(desk, event);
  else desk.events.put(event);
}
