// Locks an event for one booking: its seats stay visible, but only that booking may grow. Heading "Availability (Preview)",
// EXCLUSIVITY; assumption: availability-shape.

import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import type { Booking, ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { markChanged } from "./event.ts";
import { isLive } from "./event-end.ts";

/** Rejects with WRONG_STATE, BOOKING_ON_OTHER_EVENT or EVENT_LOCKED_ALREADY. */
export function lockEvent(tx: Transaction, event: ScheduledEvent, booking: Booking): ScheduledEvent {
  const { id, state, locked_by } = event;
  if (state !== "ACTIVE") reject("WRONG_STATE", { kind: "event", id, state, wanted: "be locked", from: "ACTIVE" });
  if (booking.event_id !== id) {
    reject("BOOKING_ON_OTHER_EVENT", { booking_id: booking.id, event_id: booking.event_id, other: id });
  }
  if (!isLive(booking)) {
    const wanted = "hold an event";
    const from = "ACTIVE, CHECKED_IN";
    reject("WRONG_STATE", { kind: "booking", id: booking.id, state: booking.status, wanted, from });
  }
  const isLocked = locked_by !== undefined && { event_id: id, booking_id: locked_by };
  must(tx, "EVENT_LOCKED_ALREADY", isLocked, () => `locked by ${locked_by ?? "no booking"}`);
  return markChanged(tx, { ...event, locked_by: booking.id });
}

/** Rejects with EVENT_NOT_LOCKED. */
export function unlockEvent(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  const { locked_by, ...open } = event;
  if (!locked_by) reject("EVENT_NOT_LOCKED", { event_id: event.id });
  return markChanged(tx, open);
}
