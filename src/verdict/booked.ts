// The bookings that a program made, and which of them are the same to a guest.
import { count } from "../platform/count.ts";
import {
  type Booking,
  callsOf,
  grouped,
  keyed,
  longest,
  type Observed,
  onceForRun,
  type RequestEntry,
  succeeded,
  whyNone,
} from "./observed.ts";

/** What makes two bookings the same for a guest: everything but the metadata, which may be new with every attempt. */
const readEssence = keyed((each) => {
  const { items } = (each.request?.body ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([...eventAndGuest(each), items]);
});

/** For whom a booking is, and of which event. */
export function eventAndGuest({ request }: RequestEntry): unknown[] {
  const { event_id, customer } = (request?.body ?? {}) as Readonly<Record<string, unknown>>;
  const { email, name } = (customer ?? {}) as Readonly<Record<string, unknown>>;
  return [event_id, email, name];
}

interface BookedRequest {
  request: RequestEntry;
  booking: Booking;
}

/** The bookings that are there at the end, with the requests that made them. */
const madeIn = onceForRun(({ requests, bookings }): readonly BookedRequest[] => {
  // Worlds that begin alike give the same ids.
  const toWorldKey = (world: string, id: string | undefined) => `${world} ${id}`;
  const live = new Map(
    bookings.filter(({ status }) => status !== "CANCELLED").map((each) => [toWorldKey(each.world, each.id), each]),
  );
  return requests.flatMap((request) => {
    if (request.operation !== "createBooking") return [];
    // By the fact and not by the answer: the answer may have been lost, and the booking is there.
    const made = request.facts.find(({ fact }) => fact === "booking.created")?.id;
    const booking = live.get(toWorldKey(request.world, made));
    return booking ? [{ request, booking }] : [];
  });
});

/** Those of each essence, in each world. */
const findBooked = onceForRun((observed) => {
  const alike = grouped(madeIn(observed), ({ request }) => readEssence(request));
  return [...alike].map(([essence, made]) => ({
    essence,
    inWorlds: [...grouped(made, ({ request }) => request.world).values()],
  }));
});

/** What is booked more often than without the drill: at least twice, since a name may be new in every run. */
export function bookedTwice(observed: Observed, control: Observed): readonly BookedRequest[] {
  const there = new Map(findBooked(control).map(({ essence, inWorlds }) => [essence, longest(inWorlds).length]));
  const twice = findBooked(observed).map(({ essence, inWorlds }) =>
    inWorlds.find((made) => made.length > Math.max(1, there.get(essence) ?? 0)),
  );
  return twice.find((made) => made !== undefined) ?? [];
}

/** What the guest has of it and pays for: `bkg-1 (2 tickets, order 1117 · DKK 515.00)`. */
export function bookingText({ id, items = [], order }: Booking): string {
  const variants = items.filter(({ item_type }) => item_type === "VARIANT");
  const tickets = variants.reduce((sum, { quantity }) => sum + quantity, 0);
  return `${id} (${count(tickets, "ticket")}${order === undefined ? "" : `, order ${order}`})`;
}

/** How many bookings are there, that are not cancelled. */
export const bookingsLeft = (observed: Observed): number => madeIn(observed).length;

/**
 * Bookings that the control run shows to be refused before the first that is made: a fault before the operation would
 * hit them. It is the number that such a fault has to skip.
 */
export const refusedFirst = (control: Observed): number => callsOf(control, "createBooking").findIndex(succeeded);

export const books = (control: Observed): boolean =>
  control.requests.some((each) => each.operation === "createBooking" && succeeded(each));

export const noBooking = (control: Observed): string | undefined =>
  whyNone(callsOf(control, "createBooking"), "the program makes no booking", "booking");
