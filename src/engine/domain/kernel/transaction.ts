// What a rule works on: the records of one world within one transaction, as the rules see them. The world provides it
// (world/state/transaction.ts); a rule has no other way to know or change anything, which is what keeps it pure.
import type { Traced } from "./checks.ts";
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
  /** Records whose key in the index is exactly this, by id. */
  where(index: Index, key: string): R[];
  /** How many those are, without looking at them. */
  count(index: Index, key: string): number;
  /** Records along an index; lazy, in order of key, then id. */
  walk(index: Index, bounds?: Walk): Iterable<R>;
  /** The ids of such a walk, without looking at the records; one with several keys comes several times. */
  ids(index: Index, bounds?: Walk): Iterable<string>;
  /** The first of such a walk. */
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

export interface Transaction extends Repositories, Traced {
  /** The id of the world. */
  readonly world: string;
  readonly now: Instant;
  /** A new id from the world's seed (assumption: ids). */
  newId(): string;
  /** An id that follows from this text and takes none of the sequence: of a part of something that has an id. */
  idFor(text: string): string;
  /** The next of a sequence. */
  nextNumber(sequence: "orders" | "entries" | "deliveries"): number;
  /** The answer in force for an entry of the assumption register. */
  assumes(id: string): string;
  /** The address of a file that the sandbox serves for this world. */
  address(path: string): string;
  emit(fact: FactName, id: string): void;
  readonly facts: readonly Fact[];
}
