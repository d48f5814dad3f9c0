// Ends events: calls them off, completes or deletes them, and ends the bookings on them. Heading "Event kinds"; assumptions:
// event-transitions, cancel-keeps-money, posting-rules (recognition at completion).
import { earn, getOrder } from "../booking/booking-order.ts";
import { cancelBooking } from "../booking/cancellation.ts";
import { removeCheckIns } from "../booking/check-in.ts";
import { dropCheckout } from "../booking/checkout.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import { joinKeys, toPrefixEnd } from "../kernel/index-keys.ts";
import type { Booking, ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { eventStates, move } from "../kernel/transitions.ts";

/**
 * Cancels the event first, then each of its bookings; only here, a CHECKED_IN booking becomes CANCELLED. `refund`
 * applies to all of them. Rejects with WRONG_STATE.
 */
export function cancelEvent(
  tx: Transaction,
  event: ScheduledEvent,
  refund: "full" | "none" | "gift_card",
): ScheduledEvent {
  // A cancelled event is not held exclusively any more.
  const { locked_by: _, ...open } = event;
  tx.events.put({ ...open, state: move(eventStates, event.id, event.state, "CANCELLED"), updated_at: tx.now });
  tx.emit("event.cancelled", event.id);
  for (const booking of getBookings(tx, event)) {
    if (isUnderWay(booking)) cancelBooking(tx, removeCheckIns(tx, booking), { refund });
    else earnRetained(tx, booking);
  }
  // The event is read again, because freeing its seats has changed it.
  return mustExist(tx.events.get(event.id), "event", event.id);
}

/** Whether an event in this state is completed at the end of its last session (assumption: event-transitions). */
export function canComplete(tx: Transaction, { state }: Pick<ScheduledEvent, "state">): boolean {
  return state === "ACTIVE" || (state === "INACTIVE" && tx.assumes("event-transitions") !== "inactive-stays");
}

/**
 * Completes an event at the end of its last session: revenue is recognised, and open checkouts lapse. Rejects with
 * WRONG_STATE.
 */
export function completeEvent(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  const { id, state } = event;
  const status = move(eventStates, id, state, "COMPLETED");
  if (!canComplete(tx, event)) reject("WRONG_STATE", { kind: "event", id, state, wanted: status, from: "ACTIVE" });
  // A completed event can't be booked, so the end of its lock is not announced.
  const { locked_by: _, ...over } = event;
  tx.events.put({ ...over, state: status, updated_at: tx.now });
  tx.emit("event.completed", id);
  for (const booking of getBookings(tx, event)) {
    // A checkout that was not completed in time is not a guest.
    if (booking.status === "PROCESSING") dropCheckout(tx, booking, "LAPSED");
    else if (isLive(booking)) earn(tx, getOrder(tx, booking));
    else earnRetained(tx, booking);
  }
  return mustExist(tx.events.get(event.id), "event", event.id);
}

/** Rejects with HAS_ACTIVE_BOOKINGS. The record is only marked as deleted, because cancelled bookings name it. */
export function deleteEvent(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  // Bookings are counted and not read, because there may be very many.
  const counts = UNDER_WAY.map((status) => tx.bookings.count("eventStatus", joinKeys(event.id, status)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) reject("HAS_ACTIVE_BOOKINGS", { kind: "Event", id: event.id, count });
  // An event that is over has earned its money already, when it ended or when a booking was cancelled later.
  if (event.state === "ACTIVE" || event.state === "INACTIVE")
    for (const booking of getBookings(tx, event)) earnRetained(tx, booking);
  const deleted = { ...event, deleted_at: tx.now, updated_at: tx.now };
  tx.events.put(deleted);
  tx.emit("event.deleted", event.id);
  return deleted;
}

/**
 * Earns what the host keeps of a cancelled booking, because its event will not take place (assumption:
 * cancel-keeps-money).
 */
function earnRetained(tx: Transaction, booking: Booking): void {
  if (booking.status === "CANCELLED") earn(tx, getOrder(tx, booking));
}

const LIVE: readonly Booking["status"][] = ["ACTIVE", "CHECKED_IN"];
const UNDER_WAY: readonly Booking["status"][] = [...LIVE, "PROCESSING"];

/** Whether the guest is expected or has arrived. */
export const isLive = ({ status }: Booking): boolean => LIVE.includes(status);

/** Whether the booking is live or a checkout in progress. */
export const isUnderWay = ({ status }: Booking): boolean => UNDER_WAY.includes(status);

/** Yields the events of an experience one by one, for callers that need only some of very many. */
export function* getEvents(tx: Transaction, experienceId: string): Generator<ScheduledEvent> {
  // The index has one entry for each session.
  const seen = new Set<string>();
  for (const id of tx.events.ids("experienceStart", {
    from: joinKeys(experienceId, ""),
    until: toPrefixEnd(experienceId),
  })) {
    const event = seen.has(id) ? undefined : tx.events.get(id);
    seen.add(id);
    if (event) yield event;
  }
}

/** Returns the bookings of an event, oldest first. */
export function getBookings(tx: Transaction, event: ScheduledEvent): Booking[] {
  const compareAge = (a: Booking, b: Booking) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0;
  return tx.bookings.where("event", event.id).sort(compareAge);
}
