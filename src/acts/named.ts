// What acts name by id: the record, or the 404 that names it. What was deleted or removed counts as unknown.

import { found, reject } from "../domain/kernel/domain-error.ts";
import { type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { Booking, Experience, Key, Location, Order, ScheduledEvent, Ticket } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export function eventCalled(tx: Transaction, id: string): ScheduledEvent {
  const event = tx.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}

export function experienceCalled(tx: Transaction, id: string): Experience {
  const experience = tx.experiences.get(id);
  return found(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}

export function locationCalled(tx: Transaction, id: string): Location {
  const location = tx.locations.get(id);
  return found(location?.removed_at ? undefined : location, "location", id);
}

export function bookingCalled(tx: Transaction, id: string): Booking {
  return found(tx.bookings.get(id), "booking", id);
}

export function ticketCalled(tx: Transaction, id: string): Ticket {
  return found(tx.tickets.get(id), "ticket", id);
}

export function orderCalled(tx: Transaction, id: string): Order {
  return found(tx.orders.get(id), "order", id);
}

export function keyCalled(tx: Transaction, id: string): Key {
  return found(tx.keys.get(id), "key", id);
}

export function instantCalled(text: string, place: string): Instant {
  const what = `${text} is not an instant such as 2030-06-01T09:00:00Z.`;
  return readInstant(text) ?? reject("INVALID_INPUT", { place, what });
}

/** What is under way has its size and its way already: only how it ends can be said. */
export function mustBeAlone(id: string, others: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(others).filter((member) => others[member] !== undefined);
  const what = `it can't stand beside ${id}, which is under way as it was begun. Give only ${id} and status.`;
  if (given.length > 0)
    reject(
      "INVALID_INPUT",
      given.map((member) => ({ place: `body.${member}`, what })),
    );
}
