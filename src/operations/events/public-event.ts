// An event that can be read by id: a deleted one is gone (assumption: event-transitions).
import type { Desk } from "../../domain/desk.ts";
import type { ScheduledEvent } from "../../domain/records.ts";
import { found } from "../../domain/refusal.ts";

export function publicEvent(desk: Desk, id: string): ScheduledEvent {
  const event = desk.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}
