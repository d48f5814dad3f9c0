// Defines the collections of a world and their indexes, and the work on all records of a world. An index is a function
// from a record to its keys; `joinKeys` joins keys of two parts.

import { joinKeys, listDays, normalizeUrl, toQueueKey, toSortable } from "../../domain/kernel/index-keys.ts";
import type { Instant } from "../../domain/kernel/instant.ts";
import type { Delivery, ScheduledEvent } from "../../domain/kernel/records.ts";
import type { Repositories } from "../../domain/kernel/transaction.ts";
import type { Row } from "../../log/entry.ts";
import { Collection, type Index, type Indexes } from "./collection.ts";
import type { CommittedChange, RowChange } from "./commit.ts";

type RecordOf<S> = S extends { get(id: string): infer R } ? NonNullable<R> & { id: string } : never;
type IndexOf<S> = S extends { where(index: infer I, key: string): unknown } ? I : never;
type Table = {
  [Name in keyof Repositories]: string extends IndexOf<Repositories[Name]>
    ? Record<never, never>
    : Record<IndexOf<Repositories[Name]> & string, Index<RecordOf<Repositories[Name]>>>;
};

// Indexes called `ever` have all records, also those that the service no longer shows.
// Indexes called `due` have the order in which due work runs: by instant, then by creation, then by id. Only the first
// entry of each has to be read, however many are due at one instant.

const getCreationKey: Index<{ created_at: Instant }> = ({ created_at }) => [created_at];

/** The type requires a row for each repository of the rules, and each index that they query. */
export const table: Table = {
  company: {},
  clock: {},
  counters: {},
  identity: {},
  locations: {
    ever: getCreationKey,
    created: (it) => (it.removed_at ? [] : [it.created_at]),
  },
  resources: { ever: (it) => [it.id] },
  experiences: {
    ever: getCreationKey,
    created: (it) => (it.state === "DELETED" ? [] : [it.created_at]),
  },
  events: {
    ever: getCreationKey,
    // Each session has a key, so a walk by time finds the event at each of them.
    start: (it) => (it.deleted_at ? [] : it.sessions.map(({ starts_at }) => starts_at)),
    experience: (it) => (it.deleted_at ? [] : [it.experience_id]),
    experienceStart: (it) =>
      it.deleted_at ? [] : it.sessions.map(({ starts_at }) => joinKeys(it.experience_id, starts_at)),
    resourceDay: (it) => (it.deleted_at || it.state === "CANCELLED" ? [] : listResourceDays(it)),
    // An event is due at the end of its last session.
    due: (it) => (isToCome(it) ? [joinKeys(findEnd(it), it.created_at)] : []),
  },
  bookings: {
    created: getCreationKey,
    updated: (it) => [it.updated_at],
    statusCreated: (it) => [joinKeys(it.status, it.created_at)],
    statusUpdated: (it) => [joinKeys(it.status, it.updated_at)],
    event: (it) => [it.event_id],
    eventStatus: (it) => [joinKeys(it.event_id, it.status)],
    due: (it) => (it.status === "PROCESSING" && it.lapses_at ? [joinKeys(it.lapses_at, it.created_at)] : []),
  },
  tickets: { booking: (it) => [it.booking_id] },
  orders: {
    created: getCreationKey,
    updated: (it) => [it.updated_at],
    number: (it) => [it.number],
    // This index finds an order by the id of a payment or refund.
    part: (it) => [...it.transactions, ...it.refunds].map(({ id }) => id),
  },
  giftCards: {
    created: getCreationKey,
    code: (it) => [it.code],
    due: (it) => (it.status === "ACTIVE" ? [joinKeys(it.expires_at, it.created_at)] : []),
  },
  consents: { created: getCreationKey, email: (it) => [it.email.toLowerCase()] },
  entries: {
    occurred: (it) => [joinKeys(it.occurred_at, toSortable(Number(it.number)))],
    number: (it) => [it.number],
    order: (it) => (it.order_id === undefined ? [] : [it.order_id]),
    document: (it) => it.documents.map((document) => document.id),
    due: (it) =>
      it.document_due_at ? [joinKeys(it.document_due_at, joinKeys(it.created_at, toSortable(Number(it.number))))] : [],
  },
  subscriptions: { created: getCreationKey, url: (it) => [normalizeUrl(it.url)] },
  messages: {
    created: (it) => [toSortable(it.place)],
    cause: (it) => (it.caused_by === undefined ? [] : [it.caused_by]),
    kind: (it) => [it.kind],
  },
  deliveries: {
    ever: (it) => [toSortable(it.place)],
    due: (it) => (isPending(it) ? [it.next_attempt_at] : []),
    // Failed deliveries were given up, or wait for a retry.
    failed: (it) =>
      it.state === "GIVEN_UP" || (it.state === "PENDING" && it.attempts.length > 0) ? [toSortable(it.place)] : [],
    queue: (it) => (isPending(it) ? [joinKeys(toQueueKey(it), it.next_attempt_at)] : []),
    message: (it) => [it.message_id],
    subscription: (it) => [it.subscription_id],
  },
  keys: { created: getCreationKey },
  tokens: { client: (it) => [it.client_id], expires: (it) => [it.expires_at] },
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

function listResourceDays(event: Pick<ScheduledEvent, "sessions" | "resource_ids">): string[] {
  const touched = new Set(event.sessions.flatMap((session) => listDays(session.starts_at, session.ends_at)));
  // Capacity is counted by resource and day (domain/event/capacity.ts).
  return event.resource_ids.flatMap((resource) => [...touched].map((day) => joinKeys(resource, day)));
}

function findEnd(event: { sessions: readonly { ends_at: Instant }[] }): Instant {
  return event.sessions.reduce((last, session) => (session.ends_at > last ? session.ends_at : last), "");
}

export type Name = keyof Repositories;
export type Collections = { [N in Name]: Collection<RecordOf<Repositories[N]>> };

/** All worlds, each with its records. A named snapshot has the id `<world>@<name>`. */
export type State = Iterable<readonly [world: string, Collections]>;

export const names = Object.keys(table) as Name[];

/** Collections that stay when a world is reset, restored or imported, and are not copied by a fork. */
export const credentials: readonly Name[] = ["keys", "tokens"];

export function createCollections(): Collections {
  const made = names.map((name) => [name, new Collection(table[name] as Indexes<{ id: string }>)]);
  return Object.fromEntries(made) as Collections;
}

/** Returns a copy in constant time, which shares all data until one of the two changes. */
export function copyCollections(collections: Collections): Collections {
  return Object.fromEntries(names.map((name) => [name, collections[name].copy()])) as Collections;
}

/** Lists every row of a world as a change, for a snapshot, an export or a load. */
export function listRowChanges(collections: Collections): RowChange[] {
  return names.flatMap((name) =>
    Array.from(collections[name].all() as Iterable<Row>, (row) => [name, row.id, row] as const),
  );
}

/** Lists the records in which a world differs from the one that it was copied from. */
export function compareCollections(original: Collections, collections: Collections): CommittedChange[] {
  return names.flatMap((collection) => {
    const [was, is] = [original[collection], collections[collection]] as unknown as [Collection<Row>, Collection<Row>];
    return is.compareTo(was).map((change) => ({ collection, ...change }));
  });
}

/** Writes rows without a transaction and without rules. Only loading may use it. */
export function applyRows(collections: Collections, rows: Iterable<RowChange>): void {
  for (const [name, id, row] of rows) loadRow(collections, name, id, row);
}

/** Ignores a row of an unknown collection. */
export function loadRow(collections: Collections, name: string, id: string, row: Row | null): void {
  const collection = collections[name as Name] as unknown as Collection<Row> | undefined;
  // Version 0.2.0 stored the keys of a world in the order of their creation, without positions.
  const hasPosition = name !== "keys" || row === null || "position" in row;
  collection?.set(id, hasPosition ? row : ({ position: collection.size + 1, ...row } as Row));
}
