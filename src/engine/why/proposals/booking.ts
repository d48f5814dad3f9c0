// What helps a booking that an event stands against: another event, an earlier instant, an act before.

import { findNearest } from "../../../platform/nearest.ts";
import { getOffers } from "../../domain/booking/basket.ts";
import { isOpen } from "../../domain/event/opening.ts";
import { two } from "../../domain/kernel/index-keys.ts";
import { before } from "../../domain/kernel/instant.ts";
import type { Item, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { advice, type Proposal, type RejectedRequest, setAt, toPaths, toValues } from "../rule.ts";
import { listIds } from "./records.ts";

/** Each is tried on a copy of the world, so there are few. */
export const MOST_EVENTS = 8;

export const getItems = ({ body }: RejectedRequest): Item[] => {
  const { items } = (body ?? {}) as { items?: Item[] };
  return Array.isArray(items) ? items : [];
};

/** The event that the request names, by its own member or by that of its booking. */
export function findEvent(question: RejectedRequest, tx: Transaction): ScheduledEvent | undefined {
  const { event_id, booking_id } = (question.body ?? {}) as { event_id?: string; booking_id?: string };
  return tx.events.get(toValues(question).event_id ?? event_id ?? tx.bookings.get(booking_id ?? "")?.event_id ?? "");
}

/** The next events of the same experience that take bookings. */
export function useOther(question: RejectedRequest): Proposal[] {
  const found = question.read((tx) => {
    const event = findEvent(question, tx);
    return event ? openEvents(tx, event.experience_id, event.id) : [];
  });
  const own = question.read((tx) => findEvent(question, tx)?.id);
  const paths = own === undefined ? [] : toPaths(question, own);
  // The request does not name it, so it can't be changed there.
  if (paths.length === 0) return [];
  return found.map(({ id, sessions }) => ({
    text: `Event ${id} of the same experience takes bookings; it begins ${sessions[0]?.start_time ?? ""}.`,
    set: setAt(paths, id),
  }));
}

function openEvents(tx: Transaction, experienceId: string, not: string): ScheduledEvent[] {
  const experience = tx.experiences.get(experienceId);
  const found = new Map<string, ScheduledEvent>();
  const bounds = { from: two(experienceId, tx.now), until: two(experienceId, "\uffff") };
  for (const event of tx.events.walk("experienceStart", bounds)) {
    if (event.id !== not && isOpen(tx, event, experience)) found.set(event.id, event);
    if (found.size === MOST_EVENTS) break;
  }
  return [...found.values()];
}

/** Another event first: an integrator can't activate one. */
export function activate(question: RejectedRequest): Proposal[] {
  const event = question.read((tx) => findEvent(question, tx));
  const activate = { act: "activateEvent", input: { event_id: event?.id } };
  const first =
    event?.state === "INACTIVE"
      ? [{ text: "The host activates it first (act activateEvent).", first: [activate] }]
      : [];
  return [...useOther(question), ...first];
}

/** Another event; or the last instant at which this one could be booked. */
export function rewindCutoff(question: RejectedRequest): Proposal[] {
  const { cutoff = "" } = toValues(question);
  // The cutoff itself is too late.
  const at = cutoff === "" ? undefined : before(cutoff, "PT0.001S");
  return [
    ...useOther(question),
    ...(at === undefined ? [] : [{ text: `The latest instant at which it could be booked is ${at}.`, at }]),
  ];
}

/** Another event, or what the host can do. */
export function unlock(question: RejectedRequest): Proposal[] {
  const { event_id } = toValues(question);
  const unlock = { act: "unlockEvent", input: { event_id } };
  return [...useOther(question), { text: "The host unlocks it first (act unlockEvent).", first: [unlock] }];
}

/** An event whose id is nearly the same, or the next one that offers what is wanted. */
export function useKnown(question: RejectedRequest): Proposal[] {
  const { event_id = "" } = toValues(question);
  const wanted = getItems(question).map(({ type_id }) => type_id);
  const paths = toPaths(question, event_id);
  const { near, next } = question.read((tx) => {
    const offering = [...tx.experiences.walk("created")].filter((it) => wanted.every((id) => getOffers(it).has(id)));
    return {
      near: findNearest(event_id, listIds(tx, "event")),
      next: offering.flatMap(({ id }) => openEvents(tx, id, event_id)),
    };
  });
  return [
    ...(near === undefined ? [] : [{ text: `The nearest id of an event is ${near}.`, set: setAt(paths, near) }]),
    ...next
      .slice(0, MOST_EVENTS)
      .map(({ id }) => ({ text: `Event ${id} offers that and takes bookings.`, set: setAt(paths, id) })),
  ];
}

/** Events that this booking may move to. */
export function moveTo(question: RejectedRequest): Proposal[] {
  const { booking_id, event_id } = (question.body ?? {}) as { booking_id?: string; event_id?: string };
  const paths = toPaths(question, event_id).filter((path) => path.startsWith("body"));
  const found = question.read((tx) => {
    const booking = tx.bookings.get(booking_id ?? "");
    return booking ? openEvents(tx, booking.experience_id, booking.event_id) : [];
  });
  if (found.length === 0)
    return [advice("No other event of the booking's experience takes bookings. Cancel the booking, and book anew.")];
  return found.map(({ id }) => ({
    text: `Event ${id} is of the same experience and takes bookings.`,
    set: setAt(paths, id),
  }));
}
