// What acts name by id: the record, or the 404 that names it. What was deleted or removed counts as unknown.
import type { Desk } from "../domain/desk.ts";
import { type Instant, readInstant } from "../domain/instant.ts";
import type { Booking, Experience, Key, Location, Order, ScheduledEvent, Ticket } from "../domain/records.ts";
import { found, refuse } from "../domain/refusal.ts";

export function eventCalled(desk: Desk, id: string): ScheduledEvent {
  const event = desk.events.get(id);
  return found(event?.deleted_at ? undefined : event, "event", id);
}

export function experienceCalled(desk: Desk, id: string): Experience {
  const experience = desk.experiences.get(id);
  return found(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}

export function locationCalled(desk: Desk, id: string): Location {
  const location = desk.locations.get(id);
  return found(location?.removed_at ? undefined : location, "location", id);
}

export function bookingCalled(desk: Desk, id: string): Booking {
  return found(desk.bookings.get(id), "booking", id);
}

export function ticketCalled(desk: Desk, id: string): Ticket {
  return found(desk.tickets.get(id), "ticket", id);
}

export function orderCalled(desk: Desk, id: string): Order {
  return found(desk.orders.get(id), "order", id);
}

export function keyCalled(desk: Desk, id: string): Key {
  return found(desk.keys.get(id), "key", id);
}

export function instantCalled(text: string, place: string): Instant {
  const what = `${text} is not an instant such as 2030-06-01T09:00:00Z.`;
  return readInstant(text) ?? refuse("INVALID_INPUT", { place, what });
}

/** What is under way has its size and its way already: only how it ends can be said. */
export function mustBeAlone(id: string, others: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(others).filter((member) => others[member] !== undefined);
  const what = `it can't stand beside ${id}, which is under way as it was begun. Give only ${id} and status.`;
  if (given.length > 0)
    refuse(
      "INVALID_INPUT",
      given.map((member) => ({ place: `body.${member}`, what })),
    );
}
