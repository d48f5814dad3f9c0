// Proposes changes for a booking that an event rejects: fewer items, items that the event offers, another event, an
// earlier instant, or a preceding act.

import { findNearest } from "../../../platform/nearest.ts";
import { getOffers } from "../../domain/booking/basket.ts";
import { countFreeSeats, countFreeUnits } from "../../domain/event/capacity.ts";
import { isOpen } from "../../domain/event/opening.ts";
import { joinKeys } from "../../domain/kernel/index-keys.ts";
import { before } from "../../domain/kernel/instant.ts";
import type { Experience, Item, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type Proposal, type RejectedRequest, readAt, type Smallest, setAt, toPaths, toValues } from "../rule.ts";
import { describeChange } from "./input.ts";

/** Each proposal is tried on a copy of the world, so there are few. */
const MAX_EVENTS = 8;

/** Returns the event that the request names, directly or through its booking. */
function findEvent(question: RejectedRequest, tx: Transaction): ScheduledEvent | undefined {
  const { event_id, booking_id } = (question.body ?? {}) as { event_id?: string; booking_id?: string };
  return tx.events.get(toValues(question).event_id ?? event_id ?? tx.bookings.get(booking_id ?? "")?.event_id ?? "");
}

/** Proposes the next events of the same experience that accept bookings and have seats left. */
function useOtherEvent(question: RejectedRequest): Proposal[] {
  return question.read((tx) => {
    const event = findEvent(question, tx);
    const paths = event ? toPaths(question, event.id) : [];
    // A request that does not contain the event can't be changed to another one.
    if (!event || paths.length === 0) return [];
    return listOpenEvents(tx, event).map(({ id, sessions }) => ({
      text: `Event ${id} of the same experience accepts bookings; it starts ${sessions[0]?.start_time ?? ""}.`,
      set: setAt(paths, id),
    }));
  });
}

function listOpenEvents(tx: Transaction, { id, experience_id }: ScheduledEvent): ScheduledEvent[] {
  const experience = tx.experiences.get(experience_id);
  const found = new Map<string, ScheduledEvent>();
  const bounds = { from: joinKeys(experience_id, tx.now), until: joinKeys(experience_id, "\uffff") };
  for (const event of tx.events.walk("experienceStart", bounds)) {
    if (event.id !== id && isOpen(tx, event, experience) && countFreeSeats(event) > 0) found.set(event.id, event);
    if (found.size === MAX_EVENTS) break;
  }
  return [...found.values()];
}

/** Proposes another event first, because integrators can't perform acts of the host. */
export const useOtherEventOrAct =
  (act: string, verb: string): Smallest =>
  (question) => {
    const event_id = question.read((tx) => findEvent(question, tx)?.id);
    return [
      ...useOtherEvent(question),
      { text: `The host ${verb} it first (act ${act}).`, first: [{ act, input: { event_id } }] },
    ];
  };

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

/** Proposes as many of the items as the event has capacity for, in the order of the request, and then another event. */
export function reduceItems(question: RejectedRequest): Proposal[] {
  const { items } = (question.body ?? {}) as { items?: Item[] };
  if (!Array.isArray(items)) return [];
  const quantities = question.read((tx) => computeFittingQuantities(tx, items, findEvent(question, tx)));
  const fitting = items
    .map((item, index) => ({ ...item, quantity: quantities[index] ?? 0 }))
    .filter((item) => item.quantity > 0);
  const [item] = fitting;
  const words = fitting.map(({ quantity, type_id }) => `${quantity} of ${type_id}`).join(", ");
  const reduced = { text: `There is room for ${words}.`, set: { "body.items": fitting } };
  const smaller =
    items.length === 1 && item
      ? { text: `Quantity ${item.quantity} of ${item.type_id}.`, set: { "body.items.0.quantity": item.quantity } }
      : reduced;
  return [...(item ? [smaller] : []), ...useOtherEvent(question)];
}

function computeFittingQuantities(
  tx: Transaction,
  items: readonly Item[],
  event: ScheduledEvent | undefined,
): number[] {
  const experience = tx.experiences.get(event?.experience_id ?? "");
  if (!event || !experience) return [];
  let freeSeats = countFreeSeats(event);
  return items.map(({ type_id, quantity }) => {
    const offer = getOffers(experience).get(type_id);
    const seats = experience.ticket_variants.find(({ id }) => id === type_id)?.seats ?? 0;
    const free = (offer && countFreeUnits(tx, event, offer)) ?? quantity;
    const fitting = Math.min(quantity, free, seats === 0 ? quantity : Math.floor(freeSeats / seats));
    // Items share the seats of the event.
    freeSeats -= fitting * seats;
    return fitting;
  });
}

/** Proposes the nearest ids, and the correct types, of items that the experience offers. */
export function useOfferedItems(question: RejectedRequest): Proposal[] {
  const experience = question.read((tx) => tx.experiences.get(findEvent(question, tx)?.experience_id ?? ""));
  if (!experience) return [];
  const sets = question.rejection.values.map(({ path }) => fixItem(experience, question, String(path)));
  if (sets.includes(undefined)) return [];
  const set = Object.assign({}, ...sets);
  return [{ text: describeChange(set), set }];
}

function fixItem(experience: Experience, question: RejectedRequest, path: string): Record<string, unknown> | undefined {
  const item = path.replace(/\.\w+$/, "");
  const [sentId, sentType] = [readAt(question, `${item}.type_id`), readAt(question, `${item}.item_type`)];
  const ids = [...getOffers(experience).keys()];
  const id = ids.find((each) => each === sentId) ?? findNearest(String(sentId), ids);
  if (id === undefined) return undefined;
  const type = experience.ticket_variants.some((variant) => variant.id === id) ? "VARIANT" : "ADDON";
  return {
    ...(id === sentId ? {} : { [`${item}.type_id`]: id }),
    // A discount names an item without its type.
    ...(sentType === undefined || sentType === type ? {} : { [`${item}.item_type`]: type }),
  };
}
