// Triggers of the event kinds. Heading "Event kinds". An event completes at its end and not before: its trigger says when that is.
import type { Desk } from "../../domain/desk.ts";
import { createEvent, updateEvent } from "../../domain/event.ts";
import { bookingsOf, cancelEvent, completeEvent, completes, deleteEvent, isUnderWay } from "../../domain/event-end.ts";
import { type Instant, instantToLocal, shiftLocal } from "../../domain/instant.ts";
import type { EventKind } from "../../domain/kinds.ts";
import { zoneOf } from "../../domain/location.ts";
import type { Experience, ScheduledEvent } from "../../domain/records.ts";
import { found } from "../../domain/refusal.ts";
import { lastEnd } from "../../domain/sessions.ts";
import { showEvent } from "../../domain/shown.ts";
import { nothingFor, type Trigger } from "./trigger.ts";
import { changed, idIn, oneOf, type Wishes, wished } from "./wish.ts";

export const eventCreated: Trigger = (desk, wishes) => {
  const experience = experienceFor(desk, wishes);
  const sample = { experience_id: experience.id, capacity: 10, sessions: [tomorrow(desk, experience)] };
  return showEvent(createEvent(desk, wished(sample, wishes)));
};

export const eventUpdated: Trigger = (desk, wishes) => {
  const event = eventFor(desk, "v1.event.updated", wishes);
  const sessions = event.sessions.map(({ id, start_time, end_time }) => ({ id, start_time, end_time }));
  const change = changed({ event_id: event.id, capacity: event.capacity.total, sessions }, wishes, event);
  return showEvent(updateEvent(desk, event, change));
};

export const eventCancelled: Trigger = (desk, wishes) => {
  const event = eventFor(desk, "v1.event.cancelled", wishes);
  const refund = oneOf(wishes, "refund", ["full", "none", "gift_card"]);
  wished({ event_id: event.id, refund }, wishes);
  return showEvent(cancelEvent(desk, event, refund));
};

export const eventCompleted: Trigger = (desk, wishes) => showEvent(completeEvent(desk, completable(desk, wishes)));

/** The event that completes by itself, and when; undefined where that is over. */
export function completion(desk: Desk, wishes: Wishes): { id: string; at: Instant } | undefined {
  const { id, state, sessions } = completable(desk, wishes);
  const at = lastEnd(sessions);
  return completes(desk, { state }) && at > desk.now ? { id, at } : undefined;
}

/** The named one, or the next to end. */
function completable(desk: Desk, wishes: Wishes): ScheduledEvent {
  const event = named(desk, wishes) ?? nextToEnd(desk);
  if (!event)
    return nothingFor("v1.event.completed", "no event is to come. Create one, or trigger v1.event.created first.");
  wished({ event_id: event.id }, wishes);
  return event;
}

function nextToEnd(desk: Desk): ScheduledEvent | undefined {
  for (const event of desk.events.walk("due")) if (completes(desk, event)) return event;
  return undefined;
}

export const eventDeleted: Trigger = (desk, wishes) => {
  const event = named(desk, wishes) ?? deletable(desk);
  if (!event)
    return nothingFor(
      "v1.event.deleted",
      "every event has active bookings. Name one in `event_id`, or trigger v1.event.created first.",
    );
  wished({ event_id: event.id }, wishes);
  return showEvent(deleteEvent(desk, event));
};

function named(desk: Desk, wishes: Wishes): ScheduledEvent | undefined {
  const id = idIn(wishes, "event_id");
  const event = id === undefined ? undefined : desk.events.get(id);
  return id === undefined ? undefined : found(event?.deleted_at ? undefined : event, "event", id);
}

/** The named one, or the next ACTIVE one. */
function eventFor(desk: Desk, kind: EventKind, wishes: Wishes): ScheduledEvent {
  const event = named(desk, wishes);
  if (event) return event;
  for (const next of desk.events.walk("start", { from: desk.now })) if (next.state === "ACTIVE") return next;
  return nothingFor(
    kind,
    "no ACTIVE event is still to come. Name one in `event_id`, or trigger v1.event.created first.",
  );
}

/** The last one that nobody has booked. */
function deletable(desk: Desk): ScheduledEvent | undefined {
  for (const event of desk.events.walk("start", { descending: true })) {
    if (!bookingsOf(desk, event).some(isUnderWay)) return event;
  }
  return undefined;
}

function experienceFor(desk: Desk, wishes: Wishes): Experience {
  const id = idIn(wishes, "experience_id");
  if (id !== undefined) return found(desk.experiences.get(id), "experience", id);
  for (const each of desk.experiences.walk("created"))
    if (each.state === "ACTIVE" && each.location_ids.length > 0) return each;
  return nothingFor("v1.event.created", "no ACTIVE experience has a location. Create one first.");
}

/** Two hours from ten on, on the wall of its place. */
function tomorrow(desk: Desk, { location_ids: [first = ""] }: Experience) {
  const day = instantToLocal(desk.now, zoneOf(desk, desk.locations.get(first) ?? {})).slice(0, 10);
  return { start_time: shiftLocal(`${day}T10:00:00`, 1), end_time: shiftLocal(`${day}T12:00:00`, 1) };
}
