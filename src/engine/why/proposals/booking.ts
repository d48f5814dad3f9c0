// Proposes changes for a booking that an event rejects: another event, an earlier instant, or a preceding act.

import { findNearest } from "../../../platform/nearest.ts";
import { getOffers } from "../../domain/booking/basket.ts";
import { isOpen } from "../../domain/event/opening.ts";
import { joinKeys } from "../../domain/kernel/index-keys.ts";
import { before } from "../../domain/kernel/instant.ts";
import type { Item, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { advice, type Proposal, type RejectedRequest, setAt, toPaths, toValues } from "../rule.ts";
import { listIds } from "./records.ts";

/** Each proposal is tried on a copy of the world, so there are few. */
export const MAX_EVENTS = 8;

export const getItems = ({ body }: RejectedRequest): Item[] => {
  const { items } = (body ?? {}) as { items?: Item[] };
  return Array.isArray(items) ? items : [];
};

/** Returns the event that the request names, directly or through its booking. */
export function findEvent(question: RejectedRequest, tx: Transaction): ScheduledEvent | undefined {
  const { event_id, booking_id } = (question.body ?? {}) as { event_id?: string; booking_id?: string };
  return tx.events.get(toValues(question).event_id ?? event_id ?? tx.bookings.get(booking_id ?? "")?.event_id ?? "");
}

/** Proposes the next events of the same experience that accept bookings. */
export function useOtherEvent(question: RejectedRequest): Proposal[] {
  const found = question.read((tx) => {
    const event = findEvent(question, tx);
    return event ? listOpenEvents(tx, event.experience_id, event.id) : [];
  });
  const own = question.read((tx) => findEvent(question, tx)?.id);
  const paths = own === undefined ? [] : toPaths(question, own);
  // A request that does not contain the event can't be changed to another one.
  if (paths.length === 0) return [];
  return found.map(({ id, sessions }) => ({
    text: `Event ${id} of the same experience accepts bookings; it starts ${sessions[0]?.start_time ?? ""}.`,
    set: setAt(paths, id),
  }));
}

function listOpenEvents(tx: Transaction, experienceId: string, not: string): ScheduledEvent[] {
  const experience = tx.experiences.get(experienceId);
  const found = new Map<string, ScheduledEvent>();
  const bounds = { from: joinKeys(experienceId, tx.now), until: joinKeys(experienceId, "\uffff") };
  for (const event of tx.events.walk("experienceStart", bounds)) {
    if (event.id !== not && isOpen(tx, event, experience)) found.set(event.id, event);
    if (found.size === MAX_EVENTS) break;
  }
  return [...found.values()];
}

/** Proposes another event first, because integrators can't activate one. */
export function activateEvent(question: RejectedRequest): Proposal[] {
  const event = question.read((tx) => findEvent(question, tx));
  const activate = { act: "activateEvent", input: { event_id: event?.id } };
  const first =
    event?.state === "INACTIVE"
      ? [{ text: "The host activates it first (act activateEvent).", first: [activate] }]
      : [];
  return [...useOtherEvent(question), ...first];
}

/** Proposes another event, or the last instant at which this event could be booked. */
export function useEarlierTime(question: RejectedRequest): Proposal[] {
  const { cutoff = "" } = toValues(question);
  // A booking at the cutoff is already too late.
  const at = cutoff === "" ? undefined : before(cutoff, "PT0.001S");
  return [
    ...useOtherEvent(question),
    ...(at === undefined ? [] : [{ text: `The latest instant at which it could be booked is ${at}.`, at }]),
  ];
}

/** Proposes another event, or an act of the host. */
export function unlockEvent(question: RejectedRequest): Proposal[] {
  const { event_id } = toValues(question);
  const unlock = { act: "unlockEvent", input: { event_id } };
  return [...useOtherEvent(question), { text: "The host unlocks it first (act unlockEvent).", first: [unlock] }];
}

/** Proposes an event with a similar id, or the next event that offers the items. */
export function useKnownEvent(question: RejectedRequest): Proposal[] {
  const { event_id = "" } = toValues(question);
  const wanted = getItems(question).map(({ type_id }) => type_id);
  const paths = toPaths(question, event_id);
  const { near, next } = question.read((tx) => {
    const offering = [...tx.experiences.walk("created")].filter((it) => wanted.every((id) => getOffers(it).has(id)));
    return {
      near: findNearest(event_id, listIds(tx, "event")),
      next: offering.flatMap(({ id }) => listOpenEvents(tx, id, event_id)),
    };
  });
  return [
    ...(near === undefined ? [] : [{ text: `The nearest id of an event is ${near}.`, set: setAt(paths, near) }]),
    ...next
      .slice(0, MAX_EVENTS)
      .map(({ id }) => ({ text: `Event ${id} offers these items and accepts bookings.`, set: setAt(paths, id) })),
  ];
}

/** Proposes events to which this booking may move. */
export function moveToOther(question: RejectedRequest): Proposal[] {
  const { booking_id, event_id } = (question.body ?? {}) as { booking_id?: string; event_id?: string };
  const paths = toPaths(question, event_id).filter((path) => path.startsWith("body"));
  const found = question.read((tx) => {
    const booking = tx.bookings.get(booking_id ?? "");
    return booking ? listOpenEvents(tx, booking.experience_id, booking.event_id) : [];
  });
  if (found.length === 0)
    return [advice("No other event of the booking's experience accepts bookings. Cancel it and create a new one.")];
  return found.map(({ id }) => ({
    text: `Event ${id} has the same experience and accepts bookings.`,
    set: setAt(paths, id),
  }));
}
