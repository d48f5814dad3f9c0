// Creates, changes, opens and closes events (the bookable occurrences). Headings "Event session and Event", "Event kinds";
// assumptions: event-fields, event-transitions.

import type { Schemas } from "../../../contract/schemas.ts";
import { optional } from "../../../platform/optional.ts";
import { getOffers } from "../booking/basket.ts";
import { must } from "../kernel/checks.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import type { Experience, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { eventStates, move } from "../kernel/transitions.ts";
import { isUnchanged } from "../kernel/unchanged.ts";
import { countFreeResource } from "./capacity.ts";
import { formatEventName } from "./opening.ts";
import { getEnd, toCutoff, toSessions } from "./sessions.ts";

export type EventInput = Schemas["CreateEventInput"];

/** Rejects with ID_TAKEN, EXPERIENCE_NOT_ACTIVE, EVENT_HAS_ENDED or INVALID_INPUT. */
export function createEvent(tx: Transaction, input: EventInput): ScheduledEvent {
  if (input.id && tx.events.get(input.id)) reject("ID_TAKEN", { kind: "event", id: input.id });
  const experience = mustExist(tx.experiences.get(input.experience_id), "experience", input.experience_id);
  const { state } = experience;
  if (state !== "ACTIVE") reject("EXPERIENCE_NOT_ACTIVE", { experience_id: experience.id, state });
  const id = input.id ?? tx.newId();
  const sessions = toSessions(tx, { id }, experience, input.sessions);
  mustBeAhead(tx, input.id ? formatEventName(input.id) : "The event", sessions);
  // Null means no cut-off, so only a missing field takes the experience's.
  const cutoff = input.booking_cutoff === undefined ? experience.booking_cutoff : input.booking_cutoff;
  const event: ScheduledEvent = {
    id,
    state: input.state ?? "ACTIVE",
    visibility: input.visibility ?? "PUBLIC",
    experience_id: experience.id,
    capacity: { total: input.capacity, reserved: 0 },
    sessions,
    created_at: tx.now,
    updated_at: tx.now,
    ...optional({ metadata: input.metadata }),
    ...toCutoff(sessions, cutoff),
    sold: {},
    resources_used: {},
    resource_ids: getResources(experience),
  };
  tx.events.put(event);
  tx.emit("event.created", id);
  return event;
}

type EventChange = Partial<Pick<EventInput, "sessions" | "capacity" | "visibility" | "booking_cutoff" | "metadata">>;

/**
 * Changes the given fields. Sessions are replaced as a list, and a session with a known id keeps its missing fields.
 * Rejects with WRONG_STATE, CAPACITY_BELOW_SOLD, EVENT_HAS_ENDED or NOT_ENOUGH_RESOURCES.
 */
export function updateEvent(tx: Transaction, event: ScheduledEvent, change: EventChange): ScheduledEvent {
  const { id, state } = event;
  if (state === "CANCELLED" || state === "COMPLETED") {
    reject("WRONG_STATE", { kind: "event", id, state, wanted: "be changed", from: "ACTIVE, INACTIVE" });
  }
  const { reserved } = event.capacity;
  const total = change.capacity ?? event.capacity.total;
  const isBelow = total < reserved && { event_id: id, reserved, capacity: total };
  must(tx, "CAPACITY_BELOW_SOLD", isBelow, () => `${total} seats were requested, ${reserved} are reserved`);
  const experience = mustExist(tx.experiences.get(event.experience_id), "experience", event.experience_id);
  const sessions = change.sessions ? toSessions(tx, event, experience, change.sessions) : event.sessions;
  mustBeAhead(tx, formatEventName(id), sessions);
  // The cut-off may depend on the first start, so it is computed again.
  const { booking_cutoff, cutoff_at: _, ...rest } = event;
  const wanted: ScheduledEvent = {
    ...rest,
    ...optional({ visibility: change.visibility, metadata: change.metadata }),
    sessions,
    capacity: { total, reserved },
    ...toCutoff(sessions, change.booking_cutoff === undefined ? booking_cutoff : change.booking_cutoff),
  };
  if (isUnchanged(tx, event, wanted)) return event;
  const saved = markChanged(tx, wanted);
  // The check runs after the event is stored, because it reads the free units from the records.
  if (change.sessions) mustHaveResources(tx, saved);
  return saved;
}

/** Rejects a new time at which the shared resources don't suffice for what the event has sold. */
function mustHaveResources(tx: Transaction, event: ScheduledEvent): void {
  for (const resource of event.resource_ids) {
    const left = countFreeResource(tx, event.sessions, resource);
    if (left >= 0) continue;
    const what = `At its new time event ${event.id} lacks ${-left} of the shared resource ${resource} for what it has sold`;
    reject("NOT_ENOUGH_RESOURCES", { what, todo: "Choose another time." });
  }
}

/** Rejects sessions that have ended, because the event would be completed at once. */
function mustBeAhead(tx: Transaction, event: string, sessions: readonly Session[]): void {
  const ended = getEnd(sessions);
  if (ended <= tx.now) reject("EVENT_HAS_ENDED", { event, ended, now: tx.now });
}

/** Opens or closes an event for booking. Its bookings stay. */
export function switchEvent(tx: Transaction, event: ScheduledEvent, state: "ACTIVE" | "INACTIVE"): ScheduledEvent {
  const switched = { ...event, state: move(eventStates, event.id, event.state, state) };
  // Closing is allowed at any time.
  if (state === "ACTIVE") mustBeAhead(tx, formatEventName(event.id), event.sessions);
  return markChanged(tx, switched);
}

/** Saves a changed event and emits its fact. */
export function markChanged(tx: Transaction, event: ScheduledEvent): ScheduledEvent {
  const saved = { ...event, updated_at: tx.now };
  tx.events.put(saved);
  tx.emit("event.updated", event.id);
  return saved;
}

/** Lists the ids of the shared resources that the experience uses, each once. */
export function getResources(experience: Experience): string[] {
  const uses = [...getOffers(experience).values()].flatMap((offer) => offer.resources ?? []);
  return [...new Set(uses.map((use) => use.resource_id))];
}
