// Events (the bookable occurrences): made, changed, opened and closed. Headings "Event session and Event", "Event kinds";
// assumptions: event-fields, event-transitions.
import { offersOf } from "./basket.ts";
import { called, resourceLeft } from "./capacity.ts";
import type { Desk } from "./desk.ts";
import { optional } from "./optional.ts";
import type { Experience, Metadata, ScheduledEvent, Session } from "./records.ts";
import { found, refuse } from "./refusal.ts";
import { cutoffOf, lastEnd, type SessionWish, sessionsOf } from "./sessions.ts";
import { event as cycle, move } from "./transitions.ts";
import { changesNothing } from "./unchanged.ts";

export interface EventWish {
  id?: string;
  experience_id: string;
  sessions: readonly SessionWish[];
  capacity: number;
  visibility?: "PUBLIC" | "PRIVATE";
  /** Null: none, whatever the experience says. */
  booking_cutoff?: string | null;
  state?: "ACTIVE" | "INACTIVE";
  metadata?: Metadata;
}

export function createEvent(desk: Desk, wish: EventWish): ScheduledEvent {
  if (wish.id && desk.events.get(wish.id)) refuse("ID_TAKEN", { kind: "event", id: wish.id });
  const experience = found(desk.experiences.get(wish.experience_id), "experience", wish.experience_id);
  const { state } = experience;
  if (state !== "ACTIVE") refuse("EXPERIENCE_NOT_ACTIVE", { experience_id: experience.id, state });
  const id = wish.id ?? desk.newId();
  const sessions = sessionsOf(desk, id, experience, wish.sessions);
  mustBeAhead(desk, wish.id ? called(wish.id) : "The event", sessions);
  const cutoff = wish.booking_cutoff === undefined ? experience.booking_cutoff : wish.booking_cutoff;
  const event: ScheduledEvent = {
    id,
    state: wish.state ?? "ACTIVE",
    visibility: wish.visibility ?? "PUBLIC",
    experience_id: experience.id,
    capacity: { total: wish.capacity, reserved: 0 },
    sessions,
    created_at: desk.now,
    updated_at: desk.now,
    ...optional({ metadata: wish.metadata }),
    ...cutoffOf(sessions, cutoff),
    sold: {},
    resources_used: {},
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
  const { id, state } = event;
  if (state === "CANCELLED" || state === "COMPLETED") {
    refuse("WRONG_STATE", { kind: "event", id, state, wanted: "be changed", from: "ACTIVE, INACTIVE" });
  }
  const { reserved } = event.capacity;
  const total = change.capacity ?? event.capacity.total;
  if (total < reserved) refuse("CAPACITY_BELOW_SOLD", { event_id: id, reserved, capacity: total });
  const experience = found(desk.experiences.get(event.experience_id), "experience", event.experience_id);
  const sessions = change.sessions ? sessionsOf(desk, id, experience, change.sessions) : event.sessions;
  mustBeAhead(desk, called(id), sessions);
  const { booking_cutoff, cutoff_at: _, ...rest } = event;
  const wanted: ScheduledEvent = {
    ...rest,
    ...optional({ visibility: change.visibility, metadata: change.metadata }),
    sessions,
    capacity: { total, reserved },
    ...cutoffOf(sessions, change.booking_cutoff === undefined ? booking_cutoff : change.booking_cutoff),
  };
  if (changesNothing(desk, event, wanted)) return event;
  const kept = changed(desk, wanted);
  if (change.sessions) mustHaveResources(desk, kept);
  return kept;
}

/** At its new time an event shares its resources with others: what it has sold must still be there. */
function mustHaveResources(desk: Desk, event: ScheduledEvent): void {
  for (const resource of event.resource_ids) {
    const left = resourceLeft(desk, event.sessions, resource);
    if (left >= 0) continue;
    const what = `At its new time event ${event.id} lacks ${-left} of the shared resource ${resource} for what it has sold`;
    refuse("NOT_ENOUGH_RESOURCES", { what, todo: "Choose another time." });
  }
}

/** An event that is over before it begins would be completed at once. */
function mustBeAhead(desk: Desk, event: string, sessions: readonly Session[]): void {
  const ended = lastEnd(sessions);
  if (ended <= desk.now) refuse("EVENT_HAS_ENDED", { event, ended, now: desk.now });
}

export function switchEvent(desk: Desk, event: ScheduledEvent, state: "ACTIVE" | "INACTIVE"): ScheduledEvent {
  const switched = { ...event, state: move(cycle, event.id, event.state, state) };
  if (state === "ACTIVE") mustBeAhead(desk, called(event.id), event.sessions);
  return changed(desk, switched);
}

/** Keeps a changed event and tells of it. */
export function changed(desk: Desk, event: ScheduledEvent): ScheduledEvent {
  const kept = { ...event, updated_at: desk.now };
  desk.events.put(kept);
  desk.tell("event.updated", event.id);
  return kept;
}

export function resourcesOf(experience: Experience): string[] {
  const uses = [...offersOf(experience).values()].flatMap((offer) => offer.resources ?? []);
  return [...new Set(uses.map((use) => use.resource_id))];
}
