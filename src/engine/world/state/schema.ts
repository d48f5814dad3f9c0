// Every collection of a world, with its indexes. An index is a function from a record to its keys, with the members that it reads;
// keys of two parts are joined by `two`.

import { addressOf, days, ordered, queueOf, two } from "../../domain/kernel/index-keys.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Delivery, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Repositories } from "../../domain/kernel/transaction.ts";
import type { Row } from "../store/log-records.ts";
import { Collection, type Index, type Indexes } from "./collection.ts";
import type { StoredRows } from "./serialized-record.ts";

type RecordOf<S> = S extends { get(id: string): infer R } ? NonNullable<R> & { id: string } : never;
type IndexOf<S> = S extends { where(index: infer I, key: string): unknown } ? I : never;
type Table = {
  [Name in keyof Repositories]: string extends IndexOf<Repositories[Name]>
    ? Record<never, never>
    : Record<IndexOf<Repositories[Name]> & string, Index<RecordOf<Repositories[Name]>>>;
};

/** An index whose keys follow from these members. */
function by<R, M extends keyof R & string>(
  of: readonly M[],
  keys: (record: Pick<R, M>) => readonly string[],
): Index<R> {
  return { of, keys };
}

/** There from the first record on: what is due is asked for before each request, the oldest message with each new one; and to build the index of a large world takes up to a second. */
const unsorted = <R>(index: Index<R>): Index<R> => ({ ...index, order: "unsorted" });
const sorted = <R>(index: Index<R>): Index<R> => ({ ...index, order: "sorted" });

// The indexes called `ever` have all records, also those that the service no longer shows.
// The indexes called `due` are in the order in which due work is done: by instant, then by creation, then by id. Only the first entry
// of each has to be read, however many are due at one instant.

const created: Index<{ created_at: Instant }> = by(["created_at"], ({ created_at }) => [created_at]);

/** The type demands a row for each store of the rules, and one index for each that they query. */
export const table: Table = {
  company: {},
  clock: {},
  counters: {},
  identity: {},
  locations: {
    ever: created,
    created: by(["removed_at", "created_at"], (it) => (it.removed_at ? [] : [it.created_at])),
  },
  resources: { ever: by(["id"], (it) => [it.id]) },
  experiences: {
    ever: created,
    created: by(["state", "created_at"], (it) => (it.state === "DELETED" ? [] : [it.created_at])),
  },
  events: {
    ever: created,
    // One key for each session, so a walk by time finds an event at each of them.
    start: sorted(
      by(["deleted_at", "sessions"], (it) => (it.deleted_at ? [] : it.sessions.map(({ starts_at }) => starts_at))),
    ),
    experience: by(["deleted_at", "experience_id"], (it) => (it.deleted_at ? [] : [it.experience_id])),
    experienceCreated: by(["deleted_at", "experience_id", "created_at"], (it) =>
      it.deleted_at ? [] : [two(it.experience_id, it.created_at)],
    ),
    experienceStart: sorted(
      by(["deleted_at", "sessions", "experience_id"], (it) =>
        it.deleted_at ? [] : it.sessions.map(({ starts_at }) => two(it.experience_id, starts_at)),
      ),
    ),
    resourceDay: by(["deleted_at", "state", "sessions", "resource_ids"], (it) =>
      it.deleted_at || it.state === "CANCELLED" ? [] : resourceDays(it),
    ),
    // At the end of its last session.
    due: sorted(
      by(["deleted_at", "state", "sessions", "created_at"], (it) =>
        isToCome(it) ? [two(endOf(it), it.created_at)] : [],
      ),
    ),
  },
  bookings: {
    created,
    updated: by(["updated_at"], (it) => [it.updated_at]),
    statusCreated: by(["status", "created_at"], (it) => [two(it.status, it.created_at)]),
    statusUpdated: by(["status", "updated_at"], (it) => [two(it.status, it.updated_at)]),
    event: by(["event_id"], (it) => [it.event_id]),
    eventCreated: by(["event_id", "created_at"], (it) => [two(it.event_id, it.created_at)]),
    eventStatus: by(["event_id", "status"], (it) => [two(it.event_id, it.status)]),
    due: sorted(
      by(["status", "lapses_at", "created_at"], (it) =>
        it.status === "PROCESSING" && it.lapses_at ? [two(it.lapses_at, it.created_at)] : [],
      ),
    ),
  },
  tickets: { booking: by(["booking_id"], (it) => [it.booking_id]) },
  orders: {
    created,
    updated: by(["updated_at"], (it) => [it.updated_at]),
    number: by(["number"], (it) => [it.number]),
    // To find an order by the id of a payment or refund.
    part: by(["transactions", "refunds"], (it) => [...it.transactions, ...it.refunds].map(({ id }) => id)),
  },
  giftCards: {
    created,
    code: by(["code"], (it) => [it.code]),
    due: sorted(
      by(["status", "expires_at", "created_at"], (it) =>
        it.status === "ACTIVE" ? [two(it.expires_at, it.created_at)] : [],
      ),
    ),
  },
  consents: { created, email: by(["email"], (it) => [it.email.toLowerCase()]) },
  entries: {
    occurred: by(["occurred_at", "number"], (it) => [two(it.occurred_at, ordered(Number(it.number)))]),
    number: by(["number"], (it) => [it.number]),
    order: by(["order_id"], (it) => (it.order_id === undefined ? [] : [it.order_id])),
    document: by(["documents"], (it) => it.documents.map((document) => document.id)),
    due: sorted(
      by(["document_due_at", "created_at", "number"], (it) =>
        it.document_due_at ? [two(it.document_due_at, two(it.created_at, ordered(Number(it.number))))] : [],
      ),
    ),
  },
  subscriptions: { created, url: by(["url"], (it) => [addressOf(it.url)]) },
  messages: {
    created: unsorted(by(["place"], (it) => [ordered(it.place)])),
    cause: by(["caused_by"], (it) => (it.caused_by === undefined ? [] : [it.caused_by])),
    kind: by(["kind"], (it) => [it.kind]),
  },
  deliveries: {
    ever: by(["place"], (it) => [ordered(it.place)]),
    due: sorted(by(["state", "next_attempt_at"], (it) => (isPending(it) ? [it.next_attempt_at] : []))),
    // Given up, or still to be repeated.
    failed: by(["state", "attempts", "place"], (it) =>
      it.state === "GIVEN_UP" || (it.state === "PENDING" && it.attempts.length > 0) ? [ordered(it.place)] : [],
    ),
    queue: sorted(
      by(["state", "next_attempt_at", "subscription_id", "tries"], (it) =>
        isPending(it) ? [two(queueOf(it), it.next_attempt_at)] : [],
      ),
    ),
    message: by(["message_id"], (it) => [it.message_id]),
    subscription: by(["subscription_id"], (it) => [it.subscription_id]),
    subscriptionCreated: by(["subscription_id", "place"], (it) => [two(it.subscription_id, ordered(it.place))]),
  },
  keys: { created },
  tokens: { client: by(["client_id"], (it) => [it.client_id]), expires: by(["expires_at"], (it) => [it.expires_at]) },
};

function isPending<D extends Pick<Delivery, "state" | "next_attempt_at">>(
  delivery: D,
): delivery is D & { next_attempt_at: Instant } {
  return delivery.state === "PENDING" && delivery.next_attempt_at !== undefined;
}

/** Whether the event will take place, closed for booking or not. */
function isToCome({ state, deleted_at }: Pick<ScheduledEvent, "state" | "deleted_at">): boolean {
  return !deleted_at && (state === "ACTIVE" || state === "INACTIVE");
}

function resourceDays(event: Pick<ScheduledEvent, "sessions" | "resource_ids">): string[] {
  const touched = new Set(event.sessions.flatMap((session) => days(session.starts_at, session.ends_at)));
  // One key for each resource and day, for resourceLeft().
  return event.resource_ids.flatMap((resource) => [...touched].map((day) => two(resource, day)));
}

/** The end of the last session. */
function endOf(event: { sessions: readonly { ends_at: Instant }[] }): Instant {
  return event.sessions.reduce((last, session) => (session.ends_at > last ? session.ends_at : last), "");
}

export type Name = keyof Repositories;
export type Collections = { [N in Name]: Collection<RecordOf<Repositories[N]>> };
export const names = Object.keys(table) as Name[];

/** Collections that stay when a world is reset, restored or imported, and are not copied by a fork. */
export const credentials: readonly Name[] = ["keys", "tokens"];

/** Asks for these indexes, where one can wait (`whenIndexed`), before a change that is carried out in one go asks for them. */
export function prepare(
  collections: Collections,
  wanted: { readonly [N in Name]?: readonly (keyof (typeof table)[N])[] },
): void {
  // To ask for the walk is enough; it need not be read.
  for (const name of names) for (const index of wanted[name] ?? []) collections[name].ids(index as string);
}

/** After bulk work, in steps: see `Layers`. */
export function* settle(collections: Collections): Generator<void> {
  for (const name of names) yield* collections[name].settle();
}

export function emptyCollections(): Collections {
  const made = names.map((name) => [name, new Collection(table[name] as Indexes<{ id: string }>)]);
  return Object.fromEntries(made) as Collections;
}

/** Collections filled with the rows of the store; unknown collection names are ignored. */
export function filledCollections(stored: Iterable<readonly [name: string, StoredRows]>): Collections {
  const collections = emptyCollections();
  for (const [name, rows] of stored) (collections[name as Name] as unknown as Collection<Row> | undefined)?.fill(rows);
  return collections;
}
