// The bookings that a program made, and which of them are the same to a guest.
import type { Evidence } from "./check.ts";
import { type Booking, callsOf, evidenceOf, type Observed, type RequestEntry, succeeded } from "./observed.ts";

/** What makes two bookings the same for a guest: everything but the metadata, which may be new with every attempt. */
function essenceOf({ event_id, customer, items }: { event_id?: unknown; customer?: unknown; items?: unknown }): string {
  const { email, name } = (customer ?? {}) as { email?: unknown; name?: unknown };
  return JSON.stringify([event_id, email, name, items]);
}

const bodyOf = ({ request }: RequestEntry) => (request?.body ?? {}) as { event_id?: unknown };

/** The bookings that each essence has at the end, by the requests that made them. */
function bookedIn({ requests, bookings }: Observed): Map<string, { request: RequestEntry; booking: Booking }[]> {
  const found = new Map<string, { request: RequestEntry; booking: Booking }[]>();
  for (const request of requests.filter(({ operation }) => operation === "createBooking")) {
    // By the fact and not by the answer: the answer may have been lost, and the booking is there.
    const made = request.facts.find(({ fact }) => fact === "booking.created")?.id;
    const booking = bookings.find(({ id, status }) => id === made && status !== "CANCELLED");
    const essence = essenceOf(bodyOf(request));
    if (booking) found.set(essence, [...(found.get(essence) ?? []), { request, booking }]);
  }
  return found;
}

/** What is booked more often than without the drill: at least twice, since a name may be new in every run. */
export function bookedTwice(observed: Observed, control: Observed): { request: RequestEntry; booking: Booking }[] {
  const there = bookedIn(control);
  const twice = [...bookedIn(observed)].find(
    ([essence, made]) => made.length > Math.max(1, there.get(essence)?.length ?? 0),
  );
  return twice?.[1] ?? [];
}

/** With the id of each booking. */
export const evidenceOfTwice = (twice: ReturnType<typeof bookedTwice>): Evidence[] =>
  twice.map(({ request, booking }) => evidenceOf(request, `: ${booking.id}`));

/** How many bookings are there, that are not cancelled. */
export const bookingsLeft = (observed: Observed): number => [...bookedIn(observed).values()].flat().length;

/**
 * Bookings that the control run shows to be refused before the first that is made: a fault before the operation would
 * hit them. It is the number that such a fault has to skip.
 */
export const refusedFirst = (control: Observed): number => callsOf(control, "createBooking").findIndex(succeeded);

export const books = (control: Observed): boolean =>
  control.requests.some((each) => each.operation === "createBooking" && succeeded(each));

export const noBooking = (control: Observed): string | undefined =>
  books(control) ? undefined : "the program makes no booking";
