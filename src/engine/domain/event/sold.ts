// Computes what sold tickets hold of their event: units, seats and shared resources, fixed at the sale, independent of later
// catalogues. Assumption: resources-sold. Records of earlier versions lack `resources_used`, which then follows from the
// current catalogue.
import { type Basket, getItems, getOffers, mergeItems, toOffers } from "../booking/basket.ts";
import type { Experience, Item, Offer, ScheduledEvent, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum } from "../money/money.ts";

/** Numbers of units by the id of an offer or resource. */
type Units = Readonly<Record<string, number>>;

/** Reads own properties only, because an id may equal the name of an inherited one. */
export const getUnits = (units: Units, id: string): number => (Object.hasOwn(units, id) ? (units[id] as number) : 0);

/** The seats and resources that a ticket takes. */
export interface Hold {
  seats: number;
  resources_used: Units;
}

/** The items of one sale, and what they take. */
export interface Demand extends Hold {
  items: Item[];
}

export function toDemand(basket: Basket): Demand {
  const offered = toOffers(basket);
  const items = getItems(basket);
  return { items, ...computeHold(items, (id) => offered.get(id)) };
}

/** Adds up what these tickets hold, independent of what the experience offers now. */
export function toTicketDemand(experience: Experience | undefined, tickets: readonly Ticket[]): Demand {
  return {
    items: mergeItems(tickets.flatMap(({ items }) => items)),
    seats: sum(tickets.map(({ seats }) => seats)),
    resources_used: addUnits(...tickets.map((ticket) => toResources(experience, ticket))),
  };
}

export function toResources(experience: Experience | undefined, { items, resources_used }: Ticket): Units {
  return resources_used ?? computeCurrentHold(experience, items).resources_used;
}

/** Computes what units of these offers take: seats and resources times their quantities. A missing offer takes nothing. */
export function computeHold(items: readonly Item[], offerOf: (id: string) => Offer | undefined): Hold {
  const lines = items.map(({ type_id, quantity }) => ({ offer: offerOf(type_id), quantity }));
  const getSeats = (offer: Offer | undefined) => (offer && "seats" in offer ? Number(offer.seats) : 0);
  const uses = lines.flatMap(({ offer, quantity }) =>
    (offer?.resources ?? []).map((use): Units => ({ [use.resource_id]: use.quantity * quantity })),
  );
  return {
    seats: sum(lines.map(({ offer, quantity }) => getSeats(offer) * quantity)),
    resources_used: addUnits(...uses),
  };
}

/** Computes what items take as the experience offers them now. */
export function computeCurrentHold(experience: Experience | undefined, items: readonly Item[]): Hold {
  const offers = experience && getOffers(experience);
  return computeHold(items, (id) => offers?.get(id));
}

/** Counts the units of a resource that an event's sold tickets hold. */
export function countUsed(tx: Transaction, event: ScheduledEvent, resource: string): number {
  return getUnits(getUsedResources(tx, event), resource);
}

/** Returns the units of every resource that the event's tickets hold. */
export function getUsedResources(tx: Transaction, { experience_id, resources_used, sold }: ScheduledEvent): Units {
  if (resources_used) return resources_used;
  // The kind doesn't matter, because offers are looked up by id alone.
  const items = Object.entries(sold).map(([type_id, quantity]) => ({
    type_id,
    item_type: "VARIANT" as const,
    quantity,
  }));
  return computeCurrentHold(tx.experiences.get(experience_id), items).resources_used;
}

/** Returns the event with this demand sold. */
export const sell = (tx: Transaction, event: ScheduledEvent, demand: Demand): ScheduledEvent =>
  addSold(tx, event, demand, 1);

/** Returns the event without what these tickets held. */
export function releaseTickets(tx: Transaction, event: ScheduledEvent, tickets: readonly Ticket[]): ScheduledEvent {
  return addSold(tx, event, toTicketDemand(tx.experiences.get(event.experience_id), tickets), -1);
}

function addSold(
  tx: Transaction,
  event: ScheduledEvent,
  { items, seats, resources_used }: Demand,
  sign: 1 | -1,
): ScheduledEvent {
  const units = addUnits(...items.map(({ type_id, quantity }): Units => ({ [type_id]: quantity })));
  // The number may exceed the total if a host allowed it; it is not cut here.
  const reserved = event.capacity.reserved + sign * seats;
  return {
    ...event,
    sold: addUnits(event.sold, applySign(units, sign)),
    capacity: { ...event.capacity, reserved },
    resources_used: omitZero(addUnits(getUsedResources(tx, event), applySign(resources_used, sign))),
  };
}

/** Adds up units, id by id. */
export function addUnits(...all: readonly Units[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const units of all) for (const [id, count] of Object.entries(units)) total[id] = getUnits(total, id) + count;
  return total;
}

function applySign(units: Units, sign: 1 | -1): Units {
  return sign === 1 ? units : Object.fromEntries(Object.entries(units).map(([id, count]) => [id, -count]));
}

/** Drops resources without units. A record of an earlier version could otherwise give one back twice. */
function omitZero(units: Units): Units {
  return Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0));
}
