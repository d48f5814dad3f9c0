// Reads what a run has left in its worlds, beside the log: the messages with their attempts, the bookings that the program made.
import { type Control, type Schemas, unwrap } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import {
  type Booking,
  type Entry,
  isDelivery,
  isRequest,
  type Observed,
  type RequestEntry,
  worldsIn,
} from "./observed.ts";
import type { RunContext } from "./run-context.ts";

type Seen = Omit<Observed, "world" | "service" | "connection" | "armed" | "probe" | "ended" | "took_ms">;

/** Of one page; a run that causes more messages is no test of a program. */
const MOST = 1000;
const AT_ONCE = 10;

export async function seenIn(
  { control, controlIn, world }: Pick<RunContext, "control" | "controlIn" | "world">,
  entries: readonly Entry[],
): Promise<Seen> {
  const requests = entries.filter(isRequest);
  const parts = entries.flatMap(leftBy);
  for (const id of worldsIn(entries, world)) {
    const inWorld = requests.filter((each) => each.world === id);
    const part = partIn(id === world ? control : controlIn(id), id, inWorld);
    // A world that has just been removed has left no entry yet.
    parts.push(await (id === world ? part : part.catch(nothingIfGone)));
  }
  return {
    entries,
    requests,
    deliveries: entries.filter(isDelivery),
    messages: parts.flatMap(({ messages }) => messages),
    subscriptions: parts.flatMap(({ subscriptions }) => subscriptions),
    bookings: parts.flatMap(({ bookings }) => bookings),
  };
}

type Part = { [Name in "messages" | "subscriptions" | "bookings"]: readonly Observed[Name][number][] };

/** What was in a world that the program has removed. */
function leftBy(entry: Entry): Part[] {
  const left = entry.kind === "world" && entry.detail.left;
  if (!left) return [];
  const bookings = left.bookings.map((each) => bookingOf(each, entry.world));
  return [{ messages: left.messages, subscriptions: left.subscriptions, bookings }];
}

async function partIn(control: Control, world: string, requests: readonly RequestEntry[]): Promise<Part> {
  // Bookings of the host are not the program's.
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const [messages, subscriptions, bookings] = await Promise.all([
    unwrap(control.GET("/_sandbox/messages", { params: { query: { limit: MOST } } })),
    recordsOf(control),
    bookingsCalled(control, world, [...new Set(made.map(({ id }) => id))]),
  ]);
  return { messages: messages.items, subscriptions, bookings };
}

function nothingIfGone(reason: unknown): Part {
  if (reason instanceof SandboxError && reason.status === 404) return { messages: [], subscriptions: [], bookings: [] };
  throw reason;
}

async function recordsOf(control: Control): Promise<Readonly<Record<string, unknown>>[]> {
  const params = { path: { collection: "subscriptions" as const } };
  return (await unwrap(control.GET("/_sandbox/records/{collection}", { params }))).items;
}

/** A few at a time: thousands of requests take long to begin. */
async function bookingsCalled(control: Control, world: string, ids: readonly string[]): Promise<Booking[]> {
  const found: Booking[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => bookingCalled(control, world, id)));
    found.push(...some.filter((booking) => booking !== undefined));
  }
  return found;
}

/** As it is kept; undefined where it is no more. */
async function bookingCalled(control: Control, world: string, id: string): Promise<Booking | undefined> {
  const params = { path: { collection: "bookings" as const, id } };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params });
  return data && bookingOf(data, world);
}

/** With the number and amount of its order. */
function bookingOf(
  { record, references }: Pick<Schemas["RecordShown"], "record" | "references">,
  world: string,
): Booking {
  const order = references.find(({ collection }) => collection === "orders")?.title;
  return { ...(record as unknown as Booking), world, order };
}
