// Finds the bookings that a program created, and those that a guest would consider duplicates.
import { count } from "../platform/count.ts";
import * as log from "./observed.ts";

/**
 * Two bookings with equal text are the same for a guest. Metadata is omitted, because it may differ between attempts.
 */
const readEssence = log.memoizePerRequest((each) => {
  const { items } = (each.request?.body ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([...readEventAndGuest(each), items]);
});

export function readEventAndGuest({ request }: log.RequestEntry): unknown[] {
  const { event_id, customer } = (request?.body ?? {}) as Readonly<Record<string, unknown>>;
  const { email, name } = (customer ?? {}) as Readonly<Record<string, unknown>>;
  return [event_id, email, name];
}

interface MadeBooking {
  request: log.RequestEntry;
  booking: log.Booking;
}

/** Finds the bookings that exist at the end, with the requests that created them. */
const findMadeBookings = log.memoizePerRun(({ requests, bookings }): readonly MadeBooking[] => {
  // Worlds with the same seed have the same ids.
  const toWorldKey = (world: string, id: string | undefined) => `${world} ${id}`;
  const live = new Map(
    bookings.filter(({ status }) => status !== "CANCELLED").map((each) => [toWorldKey(each.world, each.id), each]),
  );
  return requests.flatMap((request) => {
    if (request.operation !== "createBooking") return [];
    // The fact is decisive, not the response, because the response may have been lost.
    const made = request.facts.find(({ fact }) => fact === "booking.created")?.id;
    const booking = live.get(toWorldKey(request.world, made));
    return booking ? [{ request, booking }] : [];
  });
});

/** Groups the bookings that are the same for a guest, in each world. */
const groupMadeBookings = (observed: log.Observed): MadeBooking[][] => [
  ...log.groupBy(findMadeBookings(observed), ({ request }) => `${request.world} ${readEssence(request)}`).values(),
];

/** Finds equal bookings that are more than in the control run, and at least two, because names may differ between runs. */
export function findRepeatedBookings(observed: log.Observed, control: log.Observed): readonly MadeBooking[] {
  const inControl = groupMadeBookings(control);
  const countInControl = ({ request }: MadeBooking) =>
    log.findLongest(inControl.filter(([one]) => one && readEssence(one.request) === readEssence(request))).length;
  const isRepeated = (made: MadeBooking[]) => made.length > Math.max(1, countInControl(made[0] as MadeBooking));
  return groupMadeBookings(observed).find(isRepeated) ?? [];
}

/** Formats what the guest gets and pays for: `bkg-1 (2 tickets, order 1117 · DKK 515.00)`. */
export function formatBooking({ id, items = [], order }: log.Booking): string {
  const variants = items.filter(({ item_type }) => item_type === "VARIANT");
  const tickets = variants.reduce((sum, { quantity }) => sum + quantity, 0);
  return `${id} (${count(tickets, "ticket")}${order === undefined ? "" : `, order ${order}`})`;
}

/** Counts the bookings that are not cancelled. */
export const countBookings = (observed: log.Observed): number => findMadeBookings(observed).length;

/**
 * Counts the bookings that the control run shows to be rejected before the first success. A fault skips this many
 * requests, so that it hits a booking that would succeed.
 */
export const countRejectedFirst = (control: log.Observed): number =>
  log.findCalls(control, "createBooking").findIndex(log.isSuccess);

export const hasBooking = (control: log.Observed): boolean =>
  control.requests.some((each) => each.operation === "createBooking" && log.isSuccess(each));

export const explainNoBooking = (control: log.Observed): string | undefined =>
  log.explainNoSuccess(log.findCalls(control, "createBooking"), "the program creates no booking", "booking");
