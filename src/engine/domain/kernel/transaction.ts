// Defines what rules work on: the records of one world within one transaction. The world implements it
// (world/state/transaction.ts). Rules can't read or change anything else, which keeps them pure.
import type { Traceable } from "./checks.ts";
import type { Fact, FactName } from "./facts.ts";
import type { Instant } from "./instant.ts";
import type * as records from "./records.ts";

/** Bounds of a walk along an index, in the index's own text order. */
export interface Walk {
  /** First key, inclusive. */
  from?: string;
  /** Last key, exclusive. */
  until?: string;
  /** Start behind this record. */
  past?: { key: string; id: string };
  descending?: boolean;
}

export interface Repository<R extends { id: string }, Index extends string = string> {
  get(id: string): R | undefined;
  put(record: R): void;
  remove(id: string): void;
  /** Returns the records with exactly this key in the index, by id. */
  where(index: Index, key: string): R[];
  /** Counts the records with this key without reading them. */
  count(index: Index, key: string): number;
  /** Yields records along an index, in order of key, then id. */
  walk(index: Index, bounds?: Walk): Iterable<R>;
  /** Yields the ids of such a walk without reading the records. A record with several keys is repeated. */
  ids(index: Index, bounds?: Walk): Iterable<string>;
  /** Returns the first record of an index. */
  first(index: Index): R | undefined;
  readonly size: number;
}

export interface Repositories {
  company: Repository<records.Company>;
  clock: Repository<records.ClockRecord>;
  counters: Repository<records.Counters>;
  identity: Repository<records.Identity>;
  locations: Repository<records.Location, "created" | "ever">;
  resources: Repository<records.Resource, "ever">;
  experiences: Repository<records.Experience, "created" | "ever">;
  events: Repository<
    records.ScheduledEvent,
    "ever" | "start" | "experience" | "experienceStart" | "resourceDay" | "due"
  >;
  bookings: Repository<
    records.Booking,
    "created" | "updated" | "statusCreated" | "statusUpdated" | "event" | "eventStatus" | "due"
  >;
  tickets: Repository<records.Ticket, "booking">;
  orders: Repository<records.Order, "created" | "updated" | "number" | "part">;
  giftCards: Repository<records.GiftCard, "created" | "code" | "due">;
  consents: Repository<records.Consent, "created" | "email">;
  entries: Repository<records.JournalEntry, "occurred" | "number" | "order" | "document" | "due">;
  subscriptions: Repository<records.Subscription, "created" | "url">;
  messages: Repository<records.Message, "created" | "cause" | "kind">;
  deliveries: Repository<records.Delivery, "ever" | "due" | "failed" | "queue" | "message" | "subscription">;
  keys: Repository<records.Key, "created">;
  tokens: Repository<records.Token, "client" | "expires">;
}

export interface Transaction extends Repositories, Traceable {
  /** The id of the world. */
  readonly world: string;
  readonly now: Instant;
  /** Returns a new id from the world's seed (assumption: ids). */
  newId(): string;
  /** Derives an id from a text, for a part of something that has an id. The sequence of ids is unchanged. */
  idFor(text: string): string;
  /** Returns the next number of a sequence. */
  nextNumber(sequence: "orders" | "entries" | "deliveries"): number;
  /** Returns the current value of an assumption. */
  assumes(id: string): string;
  /** Returns the address of a file that the sandbox serves for this world. */
  address(path: string): string;
  emit(fact: FactName, id: string): void;
  readonly facts: readonly Fact[];
}
