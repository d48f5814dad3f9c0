// What sold tickets hold of their event: units, seats and shared resources, fixed when they are sold, whatever the catalogue says
// later. Assumption: resources-sold. Records of earlier versions lack `resources_used`: it follows from the present catalogue.
import { type Basket, getItems, getOffers, mergeItems, toOffers } from "../booking/basket.ts";
import type { Experience, Item, Offer, ScheduledEvent, Ticket } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum } from "../money/money.ts";

/** Units by the id of what they are of. */
type Units = Readonly<Record<string, number>>;

/** Of this id; an id may be called like what every object inherits. */
export const getUnits = (units: Units, id: string): number => (Object.hasOwn(units, id) ? (units[id] as number) : 0);

/** What a ticket with these items takes. */
export interface Hold {
  seats: number;
  resources_used: Units;
}

/** What is sold at once: these items, and what they take. */
export interface Demand extends Hold {
  items: Item[];
}

export function demandOf(basket: Basket): Demand {
  const offered = toOffers(basket);
  const items = getItems(basket);
  return { items, ...holdOf(items, (id) => offered.get(id)) };
}

/** What these tickets hold, whatever the experience offers by now. */
export function demandOfTickets(experience: Experience | undefined, tickets: readonly Ticket[]): Demand {
  return {
    items: mergeItems(tickets.flatMap(({ items }) => items)),
    seats: sum(tickets.map(({ seats }) => seats)),
    resources_used: addUnits(...tickets.map((ticket) => toResources(experience, ticket))),
  };
}

export function toResources(experience: Experience | undefined, { items, resources_used }: Ticket): Units {
  return resources_used ?? holdNow(experience, items).resources_used;
}

/** What units of these offers take: seats and resources times their quantities. An offer that is gone takes nothing. */
export function holdOf(items: readonly Item[], offerOf: (id: string) => Offer | undefined): Hold {
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

/** The hold of items as the experience offers them now. */
export function holdNow(experience: Experience | undefined, items: readonly Item[]): Hold {
  const offers = experience && getOffers(experience);
  return holdOf(items, (id) => offers?.get(id));
}

/** Units of a resource that an event's sold tickets hold. */
export function countUsed(tx: Transaction, event: ScheduledEvent, resource: string): number {
  return getUnits(getUsedResources(tx, event), resource);
}

/** Units of every resource that its tickets hold. */
export function getUsedResources(tx: Transaction, { experience_id, resources_used, sold }: ScheduledEvent): Units {
  if (resources_used) return resources_used;
  // The kind doesn't matter here: offers are looked up by id alone.
  const items = Object.entries(sold).map(([type_id, quantity]) => ({
    type_id,
    item_type: "VARIANT" as const,
    quantity,
  }));
  return holdNow(tx.experiences.get(experience_id), items).resources_used;
}

/** The event with this sold. */
export const sell = (tx: Transaction, event: ScheduledEvent, demand: Demand): ScheduledEvent =>
  addSold(tx, event, demand, 1);

/** The event without what these tickets hold. */
export function releaseTickets(tx: Transaction, event: ScheduledEvent, tickets: readonly Ticket[]): ScheduledEvent {
  return addSold(tx, event, demandOfTickets(tx.experiences.get(event.experience_id), tickets), -1);
}

function addSold(
  tx: Transaction,
  event: ScheduledEvent,
  { items, seats, resources_used }: Demand,
  sign: 1 | -1,
): ScheduledEvent {
  const units = addUnits(...items.map(({ type_id, quantity }): Units => ({ [type_id]: quantity })));
  // May exceed the total where a host was allowed to; nothing is cut here.
  const reserved = event.capacity.reserved + sign * seats;
  return {
    ...event,
    sold: addUnits(event.sold, multiply(units, sign)),
    capacity: { ...event.capacity, reserved },
    resources_used: omitZero(addUnits(getUsedResources(tx, event), multiply(resources_used, sign))),
  };
}

/** The sum of them, id by id. */
export function addUnits(...all: readonly Units[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const units of all) for (const [id, count] of Object.entries(units)) total[id] = getUnits(total, id) + count;
  return total;
}

function multiply(units: Units, sign: 1 | -1): Units {
  return sign === 1 ? units : Object.fromEntries(Object.entries(units).map(([id, count]) => [id, -count]));
}

/** A resource that nothing holds is left out, as is one that a record of an earlier version would give back twice. */
function omitZero(units: Units): Units {
  return Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0));
}
