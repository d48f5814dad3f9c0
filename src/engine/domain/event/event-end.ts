// How events end: called off, completed or deleted, and what becomes of the guests on them. Heading "Event kinds"; assumptions:
// event-transitions, cancel-keeps-money, posting-rules (recognition at completion).
import { earn, orderOf } from "../booking/booking-order.ts";
import { cancelBooking } from "../booking/cancellation.ts";
import { removeCheckIns } from "../booking/check-in.ts";
import { dropCheckout } from "../booking/checkout.ts";
import { found, reject } from "../kernel/domain-error.ts";
import { endOf, two } from "../kernel/index-keys.ts";
import type { Booking, ScheduledEvent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { eventStates, move } from "../kernel/transitions.ts";

/**
 * The event first, then each of its bookings: CHECKED_IN becomes CANCELLED only here. `refund`: for all of them.
 * Rejects with WRONG_STATE.
 */
export function cancelEvent(
  tx: Transaction,
  event: ScheduledEvent,
  refund: "full" | "none" | "gift_card",
): ScheduledEvent {
  // Nobody holds what does not take place.
  const { locked_by: _, ...open } = event;
  tx.events.put({ ...open, state: move(eventStates, event.id, event.state, "CANCELLED"), updated_at: tx.now });
  tx.emit("event.cancelled", event.id);
  for (const booking of getBookings(tx, event)) {
    if (isUnderWay(booking)) cancelBooking(tx, removeCheckIns(tx, booking), { refund });
    else earnRetained(tx, booking);
  }
  // As stored: giving seats back has changed it since.
  return found(tx.events.get(event.id), "event", event.id);
}

/** Whether an event of this state is over at the end of its last session (assumption: event-transitions). */
export function canComplete(tx: Transaction, { state }: Pick<ScheduledEvent, "state">): boolean {
  return state === "ACTIVE" || (state === "INACTIVE" && tx.assumes("event-transitions") !== "inactive-stays");
}

/** The end of the last session: revenue is recognised, and open checkouts lapse. Rejects with WRONG_STATE. */
export function completeEvent(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  const { id, state } = event;
  const status = move(eventStates, id, state, "COMPLETED");
  if (!canComplete(tx, event)) reject("WRONG_STATE", { kind: "event", id, state, wanted: status, from: "ACTIVE" });
  // What is over can't be booked again, so the end of its lock is no news.
  const { locked_by: _, ...over } = event;
  tx.events.put({ ...over, state: status, updated_at: tx.now });
  tx.emit("event.completed", id);
  for (const booking of getBookings(tx, event)) {
    // A checkout that nobody completed in time is no guest.
    if (booking.status === "PROCESSING") dropCheckout(tx, booking, "LAPSED");
    else if (isLive(booking)) earn(tx, orderOf(tx, booking));
    else earnRetained(tx, booking);
  }
  return found(tx.events.get(event.id), "event", event.id);
}

/** Rejects with HAS_ACTIVE_BOOKINGS. The record stays, marked, for bookings that were cancelled name it. */
export function deleteEvent(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  // Counted and not read: there may be very many.
  const counts = UNDER_WAY.map((status) => tx.bookings.count("eventStatus", two(event.id, status)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) reject("HAS_ACTIVE_BOOKINGS", { kind: "Event", id: event.id, count });
  // One that is over has earned it: when it was called off or ended, or when a booking was cancelled since.
  if (event.state === "ACTIVE" || event.state === "INACTIVE")
    for (const booking of getBookings(tx, event)) earnRetained(tx, booking);
  const deleted = { ...event, deleted_at: tx.now, updated_at: tx.now };
  tx.events.put(deleted);
  tx.emit("event.deleted", event.id);
  return deleted;
}

/** What a cancelled booking left behind waits for its event no longer (assumption: cancel-keeps-money). */
function earnRetained(tx: Transaction, booking: Booking): void {
  if (booking.status === "CANCELLED") earn(tx, orderOf(tx, booking));
}

const LIVE: readonly Booking["status"][] = ["ACTIVE", "CHECKED_IN"];
const UNDER_WAY: readonly Booking["status"][] = [...LIVE, "PROCESSING"];

/** The guest is expected or has arrived. */
export const isLive = ({ status }: Booking): boolean => LIVE.includes(status);

/** Live, or about to be. */
export const isUnderWay = ({ status }: Booking): boolean => UNDER_WAY.includes(status);

/** The events of an experience from the first on; lazy, for who needs only some of very many. */
export function* getEvents(tx: Transaction, experienceId: string): Generator<ScheduledEvent> {
  // The index has one entry for each session.
  const seen = new Set<string>();
  for (const id of tx.events.ids("experienceStart", { from: two(experienceId, ""), until: endOf(experienceId) })) {
    const event = seen.has(id) ? undefined : tx.events.get(id);
    seen.add(id);
    if (event) yield event;
  }
}

/** An event's bookings, oldest first. */
export function getBookings(tx: Transaction, event: ScheduledEvent): Booking[] {
  const compareAge = (a: Booking, b: Booking) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0;
  return tx.bookings.where("event", event.id).sort(compareAge);
}
