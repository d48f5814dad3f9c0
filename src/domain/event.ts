// Events (the bookable occurrences): made, changed, opened, closed, cancelled, completed. Headings "Event session and Event",
// "Event kinds"; assumptions: event-fields, session-fields, event-transitions, local-time, cutoff-default.
import { cancelBooking, dropCheckout, ticketsOf } from "./booking.ts";
import { offersOf } from "./basket.ts";
import { undoCheckIn } from "./check-in.ts";
import type { Desk } from "./desk.ts";
import { before, type Instant, isDuration, localToInstant, readInstant } from "./instant.ts";
import { followRevenue } from "./ledger.ts";
import { zoneOf } from "./location.ts";
import { keep } from "./payment.ts";
import type { Booking, Experience, Metadata, ScheduledEvent, Session } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { event as cycle, move } from "./transitions.ts";

export interface SessionWish {
  id?: string;
  start_time: string;
  end_time: string;
  timezone?: string;
  location_id?: string;
  languages?: string[];
}

export interface EventWish {
  id?: string;
  experience_id: string;
  sessions: readonly SessionWish[];
  capacity: number;
  visibility?: "PUBLIC" | "PRIVATE";
  booking_cutoff?: string;
  state?: "ACTIVE" | "INACTIVE";
  metadata?: Metadata;
}

export function createEvent(desk: Desk, wish: EventWish): ScheduledEvent {
  if (wish.id && desk.events.get(wish.id)) refuse("ID_TAKEN", { kind: "event", id: wish.id });
  const experience = found(desk.experiences.get(wish.experience_id), "experience", wish.experience_id);
  if (experience.state !== "ACTIVE")
    refuse("EXPERIENCE_NOT_ACTIVE", { experience_id: experience.id, state: experience.state });
  const id = wish.id ?? desk.newId();
  const sessions = sessionsOf(desk, id, experience, wish.sessions);
  if (lastEnd(sessions) <= desk.now)
    refuse("EVENT_HAS_ENDED", { event_id: id, ended: lastEnd(sessions), now: desk.now });
  const event: ScheduledEvent = {
    id,
    state: wish.state ?? "ACTIVE",
    visibility: wish.visibility ?? "PUBLIC",
    experience_id: experience.id,
    capacity: { total: wish.capacity, reserved: 0 },
    sessions,
    created_at: desk.now,
    updated_at: desk.now,
    ...(wish.metadata ? { metadata: wish.metadata } : {}),
    ...cutoffOf(sessions, wish.booking_cutoff ?? experience.booking_cutoff),
    sold: {},
    resource_ids: resourcesOf(experience),
  };
  desk.events.put(event);
  desk.tell("event.created", id);
  return event;
}

export type EventChange = Partial<
  Pick<EventWish, "sessions" | "capacity" | "visibility" | "booking_cutoff" | "metadata">
>;

export function updateEvent(desk: Desk, event: ScheduledEvent, change: EventChange): ScheduledEvent {
  if (event.state === "CANCELLED" || event.state === "COMPLETED") {
    refuse("WRONG_STATE", {
      kind: "event",
      id: event.id,
      state: event.state,
      wanted: "changed",
      from: "ACTIVE, INACTIVE",
    });
  }
  const { reserved } = event.capacity;
  const capacity = change.capacity ?? event.capacity.total;
  if (capacity < reserved) refuse("CAPACITY_BELOW_SOLD", { event_id: event.id, reserved, capacity });
  const experience = found(desk.experiences.get(event.experience_id), "experience", event.experience_id);
  const sessions = change.sessions ? sessionsOf(desk, event.id, experience, change.sessions) : event.sessions;
  if (lastEnd(sessions) <= desk.now)
    refuse("EVENT_HAS_ENDED", { event_id: event.id, ended: lastEnd(sessions), now: desk.now });
  return changed(desk, {
    ...event,
    sessions,
    capacity: { total: capacity, reserved },
    visibility: change.visibility ?? event.visibility,
    ...(change.metadata ? { metadata: change.metadata } : {}),
    ...cutoffOf(sessions, change.booking_cutoff ?? event.booking_cutoff),
  });
}

export function switchEvent(desk: Desk, event: ScheduledEvent, state: "ACTIVE" | "INACTIVE"): ScheduledEvent {
  return changed(desk, { ...event, state: move(cycle, event.id, event.state, state) });
}

/** The event first, then each of its bookings. */
export function cancelEvent(desk: Desk, event: ScheduledEvent, refund: "full" | "none" | "gift_card"): ScheduledEvent {
  const { locked_by: _, ...open } = event;
  desk.events.put({ ...open, state: move(cycle, event.id, event.state, "CANCELLED"), updated_at: desk.now });
  desk.tell("event.cancelled", event.id);
  for (const booking of bookingsOf(desk, event)) {
    if (booking.status === "PROCESSING") dropCheckout(desk, booking, "ABANDONED");
    else if (isLive(booking)) cancelBooking(desk, withoutCheckIns(desk, booking), { refund });
  }
  return found(desk.events.get(event.id), "event", event.id);
}

/** The end of the last session: what was paid for is earned. Heading "Event kinds", v1.event.completed. */
export function completeEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const completed = { ...event, state: move(cycle, event.id, event.state, "COMPLETED"), updated_at: desk.now };
  desk.events.put(completed);
  desk.tell("event.completed", event.id);
  for (const booking of bookingsOf(desk, event)) {
    const order = isLive(booking) ? desk.orders.get(booking.order_id) : undefined;
    if (order && !order.earned_at) keep(desk, followRevenue(desk, { ...order, earned_at: desk.now }));
  }
  return completed;
}

export function deleteEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const live = bookingsOf(desk, event).filter((booking) => isLive(booking) || booking.status === "PROCESSING");
  if (event.state !== "COMPLETED" && live.length > 0)
    refuse("HAS_ACTIVE_BOOKINGS", { kind: "Event", id: event.id, count: live.length });
  const deleted = { ...event, deleted_at: desk.now, updated_at: desk.now };
  desk.events.put(deleted);
  desk.tell("event.deleted", event.id);
  return deleted;
}

/** From now on only this booking may grow (assumption: availability-shape). */
export function lockEvent(desk: Desk, event: ScheduledEvent, booking: Booking): ScheduledEvent {
  if (event.state !== "ACTIVE")
    refuse("WRONG_STATE", { kind: "event", id: event.id, state: event.state, wanted: "locked", from: "ACTIVE" });
  if (booking.event_id !== event.id)
    refuse("BOOKING_ON_OTHER_EVENT", { booking_id: booking.id, event_id: booking.event_id, other: event.id });
  if (!isLive(booking))
    refuse("WRONG_STATE", {
      kind: "booking",
      id: booking.id,
      state: booking.status,
      wanted: "the holder of an event",
      from: "ACTIVE, CHECKED_IN",
    });
  if (event.locked_by) refuse("EVENT_LOCKED_ALREADY", { event_id: event.id, booking_id: event.locked_by });
  return changed(desk, { ...event, locked_by: booking.id });
}

export function unlockEvent(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const { locked_by, ...open } = event;
  if (!locked_by) refuse("EVENT_NOT_LOCKED", { event_id: event.id });
  return changed(desk, open);
}

export function lastEnd(sessions: readonly Session[]): Instant {
  return sessions.reduce((last, session) => (session.ends_at > last ? session.ends_at : last), "");
}

export function firstStart(sessions: readonly Session[]): Instant {
  return sessions.reduce((first, session) => (session.starts_at < first ? session.starts_at : first), "9999");
}

export function resourcesOf(experience: Experience): string[] {
  return [
    ...new Set(
      [...offersOf(experience).values()].flatMap((offer) => (offer.resources ?? []).map((use) => use.resource_id)),
    ),
  ];
}

export function isLive(booking: Booking): boolean {
  return booking.status === "ACTIVE" || booking.status === "CHECKED_IN";
}

/** An event's bookings, oldest first. */
export function bookingsOf(desk: Desk, event: ScheduledEvent): Booking[] {
  return desk.bookings
    .where("event", event.id)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0));
}

/** A checked-in guest is not expected any more: undone first, since CHECKED_IN can't become CANCELLED. */
function withoutCheckIns(desk: Desk, booking: Booking): Booking {
  for (const ticket of ticketsOf(desk, booking)) if (ticket.status === "CHECKED_IN") undoCheckIn(desk, ticket);
  return found(desk.bookings.get(booking.id), "booking", booking.id);
}

function changed(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const kept = { ...event, updated_at: desk.now };
  desk.events.put(kept);
  desk.tell("event.updated", event.id);
  return kept;
}

function sessionsOf(desk: Desk, eventId: string, experience: Experience, wishes: readonly SessionWish[]): Session[] {
  const sessions = wishes.map((wish, index) => {
    const location_id = wish.location_id ?? experience.location_ids[0] ?? "";
    const timezone = zoneAt(desk, location_id, wish.timezone, `body.sessions.${index}`);
    const [start_time, end_time] = [
      wish.start_time.slice(0, 19).padEnd(19, ":00"),
      wish.end_time.slice(0, 19).padEnd(19, ":00"),
    ];
    const starts_at = localToInstant(start_time, timezone);
    const ends_at = localToInstant(end_time, timezone);
    if (ends_at <= starts_at)
      refuse("INVALID_INPUT", {
        place: `body.sessions.${index}.end_time`,
        what: `${wish.end_time} is not after ${wish.start_time}.`,
      });
    const id = wish.id ?? `${eventId}-${index + 1}`;
    const languages = wish.languages ?? desk.company.get("company")?.languages ?? ["en"];
    return { id, start_time, end_time, timezone, location_id, languages, starts_at, ends_at };
  });
  return sessions.sort((a, b) => (a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : 0));
}

/** The location is the authority on the zone of its sessions. */
function zoneAt(desk: Desk, locationId: string, asked: string | undefined, place: string): string {
  const location = found(desk.locations.get(locationId), "location", locationId);
  if (location.removed_at) refuse("LOCATION_REMOVED", { location_id: locationId });
  const zone = zoneOf(desk, location);
  if (asked === undefined || asked === zone) return zone;
  return refuse("INVALID_INPUT", {
    place: `${place}.timezone`,
    what: `${asked} is not the zone of ${locationId}, which is ${zone}. Leave it out.`,
  });
}

function cutoffOf(
  sessions: readonly Session[],
  asked: string | undefined,
): Pick<ScheduledEvent, "cutoff_at" | "booking_cutoff"> {
  const start = firstStart(sessions);
  if (asked === undefined) return { cutoff_at: start };
  const instant = isDuration(asked) ? before(start, asked) : readInstant(asked);
  if (!instant)
    refuse("INVALID_INPUT", {
      place: "body.booking_cutoff",
      what: `${asked} is neither a duration (PT2H) nor an instant.`,
    });
  return { cutoff_at: instant, booking_cutoff: asked };
}
