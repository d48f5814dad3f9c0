// How events end: called off, completed or deleted, and what becomes of the guests on them. Heading "Event kinds"; assumptions:
// event-transitions, cancel-keeps-money, posting-rules (recognition at completion).
import { earn, orderOf } from "./booking-order.ts";
import { cancelBooking } from "./cancellation.ts";
import { undoCheckIn } from "./check-in.ts";
import { dropCheckout } from "./checkout.ts";
import type { Desk } from "./desk.ts";
import type { Booking, ScheduledEvent } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { ticketsOf } from "./tickets.ts";
import { event as cycle, move } from "./transitions.ts";

/** The event first, then each of its bookings. */
export function cancelEvent(desk: Desk, event: ScheduledEvent, refund: "full" | "none" | "gift_card"): ScheduledEvent {
  const { locked_by: _, ...open } = event;
  desk.events.put({ ...open, state: move(cycle, event.id, event.state, "CANCELLED"), updated_at: desk.now });
  desk.tell("event.cancelled", event.id);
  for (const booking of bookingsOf(desk, event)) {
    if (isUnderWay(booking)) cancelBooking(desk, withoutCheckIns(desk, booking), { refund });
    else earnKept(desk, booking);
  }
  return found(desk.events.get(event.id), "event", event.id);
}

/** Whether an event of this state is over at the end of its last session (assumption: event-transitions). */
export function completes(desk: Desk, { state }: Pick<ScheduledEvent, "state">): boolean {
  return state === "ACTIVE" || (state === "INACTIVE" && desk.assumes("event-transitions") !== "inactive-stays");
}

/** The end of the last session: what was paid for is earned, and who is still checking out is too late. */
export function completeEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const { id, state } = event;
  const status = move(cycle, id, state, "COMPLETED");
  if (!completes(desk, event)) refuse("WRONG_STATE", { kind: "event", id, state, wanted: status, from: "ACTIVE" });
  desk.events.put({ ...event, state: status, updated_at: desk.now });
  desk.tell("event.completed", id);
  for (const booking of bookingsOf(desk, event)) {
    if (booking.status === "PROCESSING") dropCheckout(desk, booking, "LAPSED");
    else if (isLive(booking)) earn(desk, orderOf(desk, booking));
    else earnKept(desk, booking);
  }
  return found(desk.events.get(event.id), "event", event.id);
}

export function deleteEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const count = bookingsOf(desk, event).filter(isUnderWay).length;
  if (count > 0) refuse("HAS_ACTIVE_BOOKINGS", { kind: "Event", id: event.id, count });
  for (const booking of bookingsOf(desk, event)) earnKept(desk, booking);
  const deleted = { ...event, deleted_at: desk.now, updated_at: desk.now };
  desk.events.put(deleted);
  desk.tell("event.deleted", event.id);
  return deleted;
}

/** What a cancelled booking left behind waits for its event no longer (assumption: cancel-keeps-money). */
function earnKept(desk: Desk, booking: Booking): void {
  if (booking.status === "CANCELLED") earn(desk, orderOf(desk, booking));
}

export function isLive(booking: Booking): boolean {
  return booking.status === "ACTIVE" || booking.status === "CHECKED_IN";
}

/** Live, or about to be. */
export function isUnderWay(booking: Booking): boolean {
  return isLive(booking) || booking.status === "PROCESSING";
}

/** An event's bookings, oldest first. */
export function bookingsOf(desk: Desk, event: ScheduledEvent): Booking[] {
  const byAge = (a: Booking, b: Booking) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0);
  return desk.bookings.where("event", event.id).sort(byAge);
}

/** A checked-in guest is not expected any more: undone first, since CHECKED_IN becomes CANCELLED only with its event, here. */
function withoutCheckIns(desk: Desk, booking: Booking): Booking {
  for (const ticket of ticketsOf(desk, booking)) if (ticket.status === "CHECKED_IN") undoCheckIn(desk, ticket);
  return found(desk.bookings.get(booking.id), "booking", booking.id);
}
