// Every collection of a world, with the questions it can answer without a scan. An index is a function from a record to its
// keys; keys of two parts are joined by `two`.
import type { Shelves } from "../domain/desk.ts";
import { days, ordered, queueOf, two } from "../domain/index-keys.ts";
import type { Instant } from "../domain/instant.ts";
import type { ScheduledEvent } from "../domain/records.ts";
import { Collection, type Indexes } from "./collection.ts";

type RecordOf<S> = S extends { get(id: string): infer R } ? NonNullable<R> & { id: string } : never;
type IndexOf<S> = S extends { where(index: infer I, key: string): unknown } ? I : never;
type Table = {
  [Name in keyof Shelves]: string extends IndexOf<Shelves[Name]>
    ? Record<never, never>
    : Record<IndexOf<Shelves[Name]> & string, (record: RecordOf<Shelves[Name]>) => readonly string[]>;
};

const created = (record: { created_at: Instant }) => [record.created_at];

export const table: Table = {
  company: {},
  clock: {},
  counters: {},
  identity: {},
  locations: { created: (location) => (location.removed_at ? [] : [location.created_at]) },
  resources: {},
  experiences: { created: (experience) => (experience.state === "DELETED" ? [] : [experience.created_at]) },
  events: {
    start: (event) => (event.deleted_at ? [] : event.sessions.map((session) => session.starts_at)),
    experience: (event) => (event.deleted_at ? [] : [event.experience_id]),
    experienceStart: (event) =>
      event.deleted_at ? [] : event.sessions.map((session) => two(event.experience_id, session.starts_at)),
    resourceDay: (event) => (event.deleted_at || event.state === "CANCELLED" ? [] : resourceDays(event)),
    due: (event) => (event.state === "ACTIVE" && !event.deleted_at ? [endOf(event)] : []),
  },
  bookings: {
    created,
    updated: (booking) => [booking.updated_at],
    statusCreated: (booking) => [two(booking.status, booking.created_at)],
    statusUpdated: (booking) => [two(booking.status, booking.updated_at)],
    event: (booking) => [booking.event_id],
    due: (booking) => (booking.status === "PROCESSING" && booking.lapses_at ? [booking.lapses_at] : []),
  },
  tickets: { booking: (ticket) => [ticket.booking_id] },
  orders: { created, updated: (order) => [order.updated_at], origin: (order) => [order.origin.id] },
  giftCards: {
    created,
    code: (card) => [card.code],
    due: (card) => (card.status === "ACTIVE" ? [card.expires_at] : []),
  },
  consents: { created, email: (consent) => [consent.email.toLowerCase()] },
  entries: {
    occurred: (entry) => [two(entry.occurred_at, ordered(Number(entry.number)))],
    order: (entry) => (entry.order_id ? [entry.order_id] : []),
    booking: (entry) => (entry.booking_id ? [entry.booking_id] : []),
    document: (entry) => entry.documents.map((document) => document.id),
    due: (entry) => (entry.document_due_at ? [entry.document_due_at] : []),
  },
  subscriptions: { created, url: (subscription) => [subscription.url] },
  messages: { created: (message) => [ordered(message.place)], cause: (message) => [message.caused_by] },
  deliveries: {
    due: (delivery) => (delivery.state === "PENDING" && delivery.next_attempt_at ? [delivery.next_attempt_at] : []),
    queue: (delivery) =>
      delivery.state === "PENDING" && delivery.next_attempt_at ? [two(queueOf(delivery), delivery.next_attempt_at)] : [],
    message: (delivery) => [delivery.message_id],
    subscription: (delivery) => [delivery.subscription_id],
  },
  keys: { created },
  tokens: { client: (token) => [token.client_id], expires: (token) => [token.expires_at] },
};

function resourceDays(event: ScheduledEvent): string[] {
  const touched = new Set(event.sessions.flatMap((session) => days(session.starts_at, session.ends_at)));
  return event.resource_ids.flatMap((resource) => [...touched].map((day) => two(resource, day)));
}

function endOf(event: { sessions: readonly { ends_at: Instant }[] }): Instant {
  return event.sessions.reduce((last, session) => (session.ends_at > last ? session.ends_at : last), "");
}

export type Name = keyof Shelves;
export type Collections = { [N in Name]: Collection<RecordOf<Shelves[N]>> };
export const names = Object.keys(table) as Name[];

/** Who may use the world, and with what: kept when a world is reset, restored or imported, never copied by a fork. */
export const credentials: readonly Name[] = ["keys", "tokens"];

export function emptyCollections(): Collections {
  const made = names.map((name) => [name, new Collection(table[name] as Indexes<{ id: string }>)]);
  return Object.fromEntries(made) as Collections;
}
