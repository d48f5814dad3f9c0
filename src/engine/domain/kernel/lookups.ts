// Loads a record by its id, or rejects with a 404: deleted and removed records count as unknown. Also lists the messages of
// a cause. Assumptions: experience-get, event-transitions.

import { mustExist } from "./domain-error.ts";
import type { Booking, Experience, Key, Location, Order, ScheduledEvent, Subscription, Ticket } from "./records.ts";
import type { Transaction } from "./transaction.ts";

export function loadEvent(tx: Transaction, id: string): ScheduledEvent {
  const event = tx.events.get(id);
  return mustExist(event?.deleted_at ? undefined : event, "event", id);
}

export function loadExperience(tx: Transaction, id: string): Experience {
  const experience = tx.experiences.get(id);
  return mustExist(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}

export function loadLocation(tx: Transaction, id: string): Location {
  const location = tx.locations.get(id);
  return mustExist(location?.removed_at ? undefined : location, "location", id);
}

export function loadBooking(tx: Transaction, id: string): Booking {
  return mustExist(tx.bookings.get(id), "booking", id);
}

export function loadTicket(tx: Transaction, id: string): Ticket {
  return mustExist(tx.tickets.get(id), "ticket", id);
}

export function loadOrder(tx: Transaction, id: string): Order {
  return mustExist(tx.orders.get(id), "order", id);
}

export function loadKey(tx: Transaction, id: string): Key {
  return mustExist(tx.keys.get(id), "key", id);
}

export function loadSubscription(tx: Transaction, id: string): Subscription {
  return mustExist(tx.subscriptions.get(id), "webhook subscription", id);
}

/** Lists the ids of the messages that a request, an act or a clock move caused, in their order. */
export function getCausedMessages(tx: Transaction, cause: string): string[] {
  const messages = tx.messages.where("cause", cause).sort((a, b) => a.place - b.place);
  return messages.map(({ id }) => id);
}
