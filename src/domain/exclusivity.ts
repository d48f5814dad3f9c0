// An event held exclusively by one booking: seats stay visible, but only that booking may still grow. Heading "Availability
// (Preview)", EXCLUSIVITY; assumption: availability-shape.
import type { Desk } from "./desk.ts";
import { changed } from "./event.ts";
import { isLive } from "./event-end.ts";
import type { Booking, ScheduledEvent } from "./records.ts";
import { refuse } from "./refusal.ts";

export function lockEvent(desk: Desk, event: ScheduledEvent, booking: Booking): ScheduledEvent {
  const { id, state, locked_by } = event;
  if (state !== "ACTIVE") refuse("WRONG_STATE", { kind: "event", id, state, wanted: "be locked", from: "ACTIVE" });
  if (booking.event_id !== id) {
    refuse("BOOKING_ON_OTHER_EVENT", { booking_id: booking.id, event_id: booking.event_id, other: id });
  }
  if (!isLive(booking)) {
    const wanted = "hold an event";
    const from = "ACTIVE, CHECKED_IN";
    refuse("WRONG_STATE", { kind: "booking", id: booking.id, state: booking.status, wanted, from });
  }
  if (locked_by) refuse("EVENT_LOCKED_ALREADY", { event_id: id, booking_id: locked_by });
  return changed(desk, { ...event, locked_by: booking.id });
}

export function unlockEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const { locked_by, ...open } = event;
  if (!locked_by) refuse("EVENT_NOT_LOCKED", { event_id: event.id });
  return changed(desk, open);
}
