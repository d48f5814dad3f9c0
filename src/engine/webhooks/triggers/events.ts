// Triggers the event kinds. An event completes at its end and not earlier: `findDueCompletion` returns when. Heading "Event kinds".

import { getZone } from "../../domain/catalogue/location.ts";
import { createEvent, updateEvent } from "../../domain/event/event.ts";
import {
  canComplete,
  cancelEvent,
  completeEvent,
  deleteEvent,
  getBookings,
  isUnderWay,
} from "../../domain/event/event-end.ts";
import { getEnd } from "../../domain/event/sessions.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { type Instant, shiftLocal, toLocal } from "../../domain/kernel/instant.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Experience, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { showEvent } from "../../domain/views.ts";
import {
  addOptional,
  applyInputs,
  readChoice,
  readId,
  rejectKind,
  type Trigger,
  type TriggerInput,
  toChange,
} from "./input.ts";

/** Creates an event tomorrow with ten seats. */
export const create: Trigger = (tx, inputs) => {
  const experience = findExperience(tx, inputs);
  const sample = { experience_id: experience.id, capacity: 10, sessions: [getTomorrowTimes(tx, experience)] };
  return showEvent(createEvent(tx, applyInputs(addOptional(sample, inputs, ["metadata"]), inputs)));
};

export const update: Trigger = (tx, inputs) => {
  const event = findEventToChange(tx, "v1.event.updated", inputs);
  // Only these fields of a session can be changed.
  const sessions = event.sessions.map(({ id, start_time, end_time }) => ({ id, start_time, end_time }));
  const sample = { event_id: event.id, capacity: event.capacity.total, sessions };
  const change = toChange(addOptional(sample, inputs, ["metadata"]), inputs, event);
  return showEvent(updateEvent(tx, event, change));
};

export const cancel: Trigger = (tx, inputs) => {
  const event = findEventToChange(tx, "v1.event.cancelled", inputs);
  const refund = readChoice(inputs, "refund", ["full", "none", "gift_card"]);
  applyInputs({ event_id: event.id, refund }, inputs);
  return showEvent(cancelEvent(tx, event, refund));
};

/** Completes an event that the clock does not: its end has passed, or events are not completed automatically (event-transitions). */
export const complete: Trigger = (tx, inputs) => showEvent(completeEvent(tx, findCompletable(tx, inputs)));

/** Returns the event to complete and its end; undefined if the end has passed, or if events are not completed automatically. */
export function findDueCompletion(tx: Transaction, inputs: TriggerInput): { id: string; at: Instant } | undefined {
  const { id, state, sessions } = findCompletable(tx, inputs);
  const at = getEnd(sessions);
  return canComplete(tx, { state }) && at > tx.now ? { id, at } : undefined;
}

/** Returns the event in the input, or the next event to end. */
function findCompletable(tx: Transaction, inputs: TriggerInput): ScheduledEvent {
  const event = findNamedEvent(tx, inputs) ?? findNextToEnd(tx);
  if (!event)
    return rejectKind("v1.event.completed", "there is no future event. Create one, or trigger v1.event.created first.");
  applyInputs({ event_id: event.id }, inputs);
  return event;
}

function findNextToEnd(tx: Transaction): ScheduledEvent | undefined {
  for (const event of tx.events.walk("due")) if (canComplete(tx, event)) return event;
  return undefined;
}

export const remove: Trigger = (tx, inputs) => {
  const event = findNamedEvent(tx, inputs) ?? findDeletableEvent(tx);
  if (!event)
    return rejectKind("v1.event.deleted", "there is no event without active bookings. Trigger v1.event.created first.");
  applyInputs({ event_id: event.id }, inputs);
  return showEvent(deleteEvent(tx, event));
};

function findNamedEvent(tx: Transaction, inputs: TriggerInput): ScheduledEvent | undefined {
  const id = readId(inputs, "event_id");
  const event = id === undefined ? undefined : tx.events.get(id);
  return id === undefined ? undefined : mustExist(event?.deleted_at ? undefined : event, "event", id);
}

/** Returns the event in the input, or the next ACTIVE event. */
function findEventToChange(tx: Transaction, kind: EventKind, inputs: TriggerInput): ScheduledEvent {
  const event = findNamedEvent(tx, inputs);
  if (event) return event;
  for (const next of tx.events.walk("start", { from: tx.now })) if (next.state === "ACTIVE") return next;
  return rejectKind(
    kind,
    "there is no future ACTIVE event. Name one in `event_id`, or trigger v1.event.created first.",
  );
}

/** Returns the last event without active bookings. */
function findDeletableEvent(tx: Transaction): ScheduledEvent | undefined {
  for (const event of tx.events.walk("start", { descending: true })) {
    if (!getBookings(tx, event).some(isUnderWay)) return event;
  }
  return undefined;
}

function findExperience(tx: Transaction, inputs: TriggerInput): Experience {
  const id = readId(inputs, "experience_id");
  if (id !== undefined) return mustExist(tx.experiences.get(id), "experience", id);
  for (const each of tx.experiences.walk("created"))
    if (each.state === "ACTIVE" && each.location_ids.length > 0) return each;
  return rejectKind("v1.event.created", "no ACTIVE experience has a location. Create one first.");
}

/** Returns 10:00 to 12:00 in local time. */
function getTomorrowTimes(tx: Transaction, { location_ids: [first = ""] }: Experience) {
  const day = toLocal(tx.now, getZone(tx, tx.locations.get(first) ?? {})).slice(0, 10);
  return { start_time: shiftLocal(`${day}T10:00:00`, 1), end_time: shiftLocal(`${day}T12:00:00`, 1) };
}
