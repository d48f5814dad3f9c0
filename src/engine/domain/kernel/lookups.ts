// The record of an id, or the 404 that says there is none: deleted and removed records count as unknown. And what a cause has caused.
// Assumptions: experience-get, event-transitions.

import { found } from "./domain-error.ts";
import type { Booking, Experience, Key, Location, Order, ScheduledEvent, Ticket } from "./records.ts";
import type { Transaction } from "./transaction.ts";

export function loadEvent(tx: Transaction, id: string): ScheduledEvent {
  const event = tx.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}

export function loadExperience(tx: Transaction, id: string): Experience {
  const experience = tx.experiences.get(id);
  return found(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}

export function loadLocation(tx: Transaction, id: string): Location {
  const location = tx.locations.get(id);
  return found(location?.removed_at ? undefined : location, "location", id);
}

export function loadBooking(tx: Transaction, id: string): Booking {
  return found(tx.bookings.get(id), "booking", id);
}

export function loadTicket(tx: Transaction, id: string): Ticket {
  return found(tx.tickets.get(id), "ticket", id);
}

export function orderById(tx: Transaction, id: string): Order {
  return found(tx.orders.get(id), "order", id);
}

export function loadKey(tx: Transaction, id: string): Key {
  return found(tx.keys.get(id), "key", id);
}

/** The ids of the messages that a request, an act or a clock move caused, in the order in which it did. */
export function getCausedMessages(tx: Transaction, cause: string): string[] {
  const messages = tx.messages.where("cause", cause).sort((a, b) => a.place - b.place);
  return messages.map(({ id }) => id);
}
