// Reads what a run has left in its world, beside the log: the messages with their attempts, the bookings that the program made.
import { type Control, dataOf } from "../client/control.ts";
import { type Booking, type Entry, isDelivery, isRequest, type Observed } from "./observed.ts";

export type Seen = Omit<Observed, "world" | "service" | "connection" | "armed" | "probe" | "ended" | "took_ms">;

/** Of one page; a run that causes more messages is no test of a program. */
const MOST = 1000;
const AT_ONCE = 10;

export async function seenIn(control: Control, entries: readonly Entry[]): Promise<Seen> {
  const requests = entries.filter(isRequest);
  // Bookings of the host are not the program's.
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const [messages, subscriptions, bookings] = await Promise.all([
    dataOf(control.GET("/_sandbox/messages", { params: { query: { limit: MOST } } })),
    recordsOf(control),
    bookingsCalled(control, [...new Set(made.map(({ id }) => id))]),
  ]);
  return {
    entries,
    requests,
    deliveries: entries.filter(isDelivery),
    messages: messages.items,
    subscriptions,
    bookings,
  };
}

async function recordsOf(control: Control): Promise<Readonly<Record<string, unknown>>[]> {
  const params = { path: { collection: "subscriptions" as const } };
  return (await dataOf(control.GET("/_sandbox/records/{collection}", { params }))).items;
}

/** A few at a time: thousands of requests take long to begin. */
async function bookingsCalled(control: Control, ids: readonly string[]): Promise<Booking[]> {
  const found: Booking[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => bookingCalled(control, id)));
    found.push(...some.filter((booking) => booking !== undefined));
  }
  return found;
}

/** As it is kept; undefined where it is no more. */
async function bookingCalled(control: Control, id: string): Promise<Booking | undefined> {
  const params = { path: { collection: "bookings" as const, id } };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params });
  const order = data?.references.find(({ collection }) => collection === "orders")?.title;
  return data && { ...(data.record as Booking), order };
}
