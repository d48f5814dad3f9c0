// Proposes items that an event offers and has capacity for, and free timeslots.

import { findNearest } from "../../../platform/nearest.ts";
import { getOffers } from "../../domain/booking/basket.ts";
import { countFreeSeats, countFreeUnits } from "../../domain/event/capacity.ts";
import { listFreeSlots } from "../../domain/event/timeslots.ts";
import { after, before, fromLocal, isLocal } from "../../domain/kernel/instant.ts";
import type { Experience, Item, Variant } from "../../domain/kernel/records.ts";
import { advice, type Proposal, type RejectedRequest, readAt, setAt, toPaths, toValues } from "../rule.ts";
import { findEvent, getItems, MAX_EVENTS, useOtherEvent } from "./booking.ts";
import { describeChange } from "./input.ts";

/** The number of smaller quantities to try, because a shared resource may allow fewer than the variant's own limit. */
const MAX_QUANTITIES = 6;

/** Proposes fewer of one item first, then to omit one item, then another event. */
export function reduceItems(question: RejectedRequest): Proposal[] {
  const items = getItems(question);
  const left = question.read((tx) => {
    const event = findEvent(question, tx);
    const experience = tx.experiences.get(event?.experience_id ?? "");
    const offers = experience ? getOffers(experience) : new Map();
    return items.map(({ type_id, quantity }) => {
      const offer = offers.get(type_id);
      // The rejected quantity itself is not tried again.
      return Math.min(quantity - 1, (event && offer && countFreeUnits(tx, event, offer)) ?? quantity - 1);
    });
  });
  const smaller = items.flatMap(({ type_id }, index) =>
    Array.from({ length: MAX_QUANTITIES }, (_, step) => (left[index] ?? 0) - step)
      .filter((quantity) => quantity >= 1)
      .map((quantity) => ({
        text: `Quantity ${quantity} of ${type_id}.`,
        set: { [`body.items.${index}.quantity`]: quantity },
      })),
  );
  const without =
    items.length < 2
      ? []
      : items.map((item, index) => ({
          text: `Leave ${item.type_id} out.`,
          set: { "body.items": items.filter((_, other) => other !== index) },
        }));
  return [
    // Larger quantities are tried first.
    ...smaller.sort((a, b) => getQuantity(b) - getQuantity(a)),
    ...without,
    ...reduceToCapacity(question, items),
    ...useOtherEvent(question),
  ];
}

/** Reduces several items to the available capacity, in the order of the request. */
function reduceToCapacity(question: RejectedRequest, items: readonly Item[]): Proposal[] {
  if (items.length < 2) return [];
  const quantities = question.read((tx) => {
    const event = findEvent(question, tx);
    const offers = getOffers(tx.experiences.get(event?.experience_id ?? "") ?? NOTHING_OFFERED);
    let seats = event ? countFreeSeats(event) : 0;
    return items.map(({ type_id, quantity }) => {
      const offer = offers.get(type_id);
      const each = offer && "seats" in offer ? (offer as Variant).seats : 0;
      const room = each === 0 ? quantity : Math.floor(seats / each);
      const left = (event && offer && countFreeUnits(tx, event, offer)) ?? quantity;
      const most = Math.max(0, Math.min(quantity, room, left));
      // Items share the seats of the event.
      seats -= most * each;
      return most;
    });
  });
  const remaining = items.flatMap((item, index) => {
    const quantity = quantities[index] ?? 0;
    return quantity > 0 ? [{ ...item, quantity }] : [];
  });
  if (remaining.length === 0) return [];
  const words = remaining.map(({ quantity, type_id }) => `${quantity} of ${type_id}`).join(", ");
  return [{ text: `There is room for ${words}.`, set: { "body.items": remaining } }];
}

const NOTHING_OFFERED = { ticket_variants: [] } as unknown as Experience;

const getQuantity = ({ set }: { set: Record<string, number> }): number => Object.values(set)[0] ?? 0;

/** Proposes ids and types of items that the experience offers. */
export function useOfferedItems(question: RejectedRequest): Proposal[] {
  const items = getItems(question);
  const experience = question.read((tx) => tx.experiences.get(findEvent(question, tx)?.experience_id ?? ""));
  if (!experience) return [];
  const set = Object.assign(
    {},
    ...question.rejection.values.map(({ path }) =>
      String(path).startsWith("body.discounts.")
        ? fixDiscount(experience, question, String(path))
        : fixItem(experience, items, String(path)),
    ),
  );
  if (Object.keys(set).length === 0) return [];
  const isAdded = "body.items" in set;
  return [{ text: isAdded ? "Add the ticket variant that its add-on comes with." : describeChange(set), set }];
}

/** Replaces an unknown item of a discount by the nearest one, or omits it so that the discount applies to all. */
const fixDiscount = (experience: Experience, question: RejectedRequest, path: string): Record<string, unknown> => ({
  [path]: findNearest(String(readAt(question, path)), getOffers(experience).keys()) ?? null,
});

function fixItem(experience: Experience, items: readonly Item[], path: string): Record<string, unknown> {
  const offers = getOffers(experience);
  const item = items[Number(path.split(".")[2])];
  if (!item) return addVariant(experience, items);
  const getKind = (id: string) =>
    experience.ticket_variants.some((variant) => variant.id === id) ? "VARIANT" : "ADDON";
  const at = path.replace(/\.(type_id|item_type)$/, "");
  const id = offers.has(item.type_id)
    ? item.type_id
    : (findNearest(item.type_id, offers.keys()) ?? [...offers.keys()].find((each) => getKind(each) === item.item_type));
  if (id === undefined) return {};
  return {
    ...(id === item.type_id ? {} : { [`${at}.type_id`]: id }),
    ...(getKind(id) === item.item_type ? {} : { [`${at}.item_type`]: getKind(id) }),
  };
}

/** Adds a ticket variant with these add-ons, because add-ons can't be booked without one. */
function addVariant(experience: Experience, items: readonly Item[]): Record<string, unknown> {
  const addOns = items.filter(({ item_type }) => item_type === "ADDON").map(({ type_id }) => type_id);
  const hasAddOns = ({ add_on_variants }: Experience["ticket_variants"][number]) =>
    addOns.every((id) => add_on_variants.some((each) => each.id === id));
  const variant = experience.ticket_variants.find(hasAddOns);
  return variant ? { "body.items": [{ type_id: variant.id, item_type: "VARIANT", quantity: 1 }, ...items] } : {};
}

/** Proposes the next free timeslots after the unavailable one. */
export function useFreeSlot(question: RejectedRequest): Proposal[] {
  const { start_time = "" } = toValues(question);
  const { experience_id = "" } = (question.body ?? {}) as { experience_id?: string };
  const starts = question.read((tx) => {
    const experience = tx.experiences.get(experience_id);
    if (!experience) return [];
    // The search starts one day earlier, because the time zone is unknown here.
    const wanted = isLocal(start_time) ? before(fromLocal(start_time, "UTC"), "P1D") : tx.now;
    const from = wanted > tx.now ? wanted : tx.now;
    const slots = listFreeSlots(tx, experience, from, after(from, "P60D")).filter((slot) => slot.starts_at > tx.now);
    const times = [...new Set(slots.map((slot) => slot.start_time))];
    const later = times.filter((time) => time > start_time);
    return (later.length > 0 ? later : times).slice(0, MAX_EVENTS);
  });
  if (starts.length === 0) return [advice("The experience has no free timeslot in the 60 days from then on.")];
  return starts.map((time) => ({
    text: `The timeslot at ${time} is free.`,
    set: setAt(toPaths(question, start_time), time),
  }));
}

/** Proposes at least the quantity that the booking has, because sold items can't be removed. */
export function keepItems(question: RejectedRequest): Proposal[] {
  const { type_id = "", held = "" } = toValues(question);
  const items = getItems(question);
  const index = items.findIndex((item) => item.type_id === type_id);
  const item = question.read((tx) =>
    tx.bookings
      .get(String((question.body as { booking_id?: string }).booking_id))
      ?.items.find((each) => each.type_id === type_id),
  );
  const set =
    index >= 0
      ? { [`body.items.${index}.quantity`]: Number(held) }
      : { "body.items": [...items, ...(item ? [item] : [])] };
  return [{ text: `Keep at least ${held} of ${type_id}.`, set }];
}
