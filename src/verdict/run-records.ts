// Reads the records that a run has left in its worlds: messages with their attempts, subscriptions, and the bookings of
// the program.
import { type Control, type Schemas, unwrap } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import {
  type Booking,
  type Entry,
  isDelivery,
  isRequest,
  listWorlds,
  type Observed,
  type RequestEntry,
} from "./observed.ts";
import { type RunContext, readSubscriptions } from "./run-context.ts";

type RunRecords = Omit<Observed, "world" | "service" | "connection" | "armed" | "probe" | "ended" | "took_ms">;

/** The limit of one page. More messages are no reasonable test of a program. */
const MAX_MESSAGES = 1000;
const MAX_PARALLEL_READS = 10;

export async function readRunRecords(
  { control, controlIn, world }: Pick<RunContext, "control" | "controlIn" | "world">,
  entries: readonly Entry[],
): Promise<RunRecords> {
  const requests = entries.filter(isRequest);
  const parts = entries.flatMap(readRemovedWorld);
  for (const id of listWorlds(entries, world)) {
    const inWorld = requests.filter((each) => each.world === id);
    const part = readWorld(id === world ? control : controlIn(id), id, inWorld);
    // The log has no entry yet for a world that was just deleted.
    parts.push(await (id === world ? part : part.catch(toEmptyIfGone)));
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

type WorldRecords = { [Name in "messages" | "subscriptions" | "bookings"]: readonly Observed[Name][number][] };

/** The log contains the records of a world that the program has deleted. */
function readRemovedWorld(entry: Entry): WorldRecords[] {
  const left = entry.kind === "world" && entry.detail.left;
  if (!left) return [];
  const bookings = left.bookings.map((each) => toBooking(each, entry.world));
  return [{ messages: left.messages, subscriptions: left.subscriptions, bookings }];
}

async function readWorld(control: Control, world: string, requests: readonly RequestEntry[]): Promise<WorldRecords> {
  // Bookings of the host are not the program's.
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const [messages, subscriptions, bookings] = await Promise.all([
    unwrap(control.GET("/_sandbox/messages", { params: { query: { limit: MAX_MESSAGES } } })),
    readSubscriptions(control),
    readBookings(control, world, [...new Set(made.map(({ id }) => id))]),
  ]);
  return { messages: messages.items, subscriptions, bookings };
}

function toEmptyIfGone(reason: unknown): WorldRecords {
  if (reason instanceof SandboxError && reason.status === 404) return { messages: [], subscriptions: [], bookings: [] };
  throw reason;
}

/** Reads a few bookings at a time, because thousands of parallel requests are slow. */
async function readBookings(control: Control, world: string, ids: readonly string[]): Promise<Booking[]> {
  const found: Booking[] = [];
  for (let at = 0; at < ids.length; at += MAX_PARALLEL_READS) {
    const some = await Promise.all(ids.slice(at, at + MAX_PARALLEL_READS).map((id) => readBooking(control, world, id)));
    found.push(...some.filter((booking) => booking !== undefined));
  }
  return found;
}

/** Returns undefined if the booking no longer exists. */
async function readBooking(control: Control, world: string, id: string): Promise<Booking | undefined> {
  const params = { path: { collection: "bookings" as const, id } };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params });
  return data && toBooking(data, world);
}

function toBooking(
  { record, references }: Pick<Schemas["RecordShown"], "record" | "references">,
  world: string,
): Booking {
  const order = references.find(({ collection }) => collection === "orders")?.title;
  return { ...(record as unknown as Booking), world, order };
}
