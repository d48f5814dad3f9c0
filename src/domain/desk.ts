// What a rule works on: the records of one world within one transaction, as the rules see them. The world provides it
// (world/transaction.ts); a rule has no other way to know or change anything, which is what keeps it pure.
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

export interface Shelf<R extends { id: string }, Index extends string = string> {
  get(id: string): R | undefined;
  put(record: R): void;
  remove(id: string): void;
  /** Records whose key in the index is exactly this, by id. */
  where(index: Index, key: string): R[];
  /** How many those are, without looking at them. */
  count(index: Index, key: string): number;
  /** Records along an index; lazy, in order of key, then id. */
  walk(index: Index, bounds?: Walk): Iterable<R>;
  readonly size: number;
}

export interface Shelves {
  company: Shelf<records.Company>;
  clock: Shelf<records.ClockRecord>;
  counters: Shelf<records.Counters>;
  identity: Shelf<records.Identity>;
  locations: Shelf<records.Location, "created">;
  resources: Shelf<records.Resource>;
  experiences: Shelf<records.Experience, "created">;
  events: Shelf<records.ScheduledEvent, "start" | "experience" | "experienceStart" | "resourceDay" | "due">;
  bookings: Shelf<records.Booking, "created" | "updated" | "statusCreated" | "statusUpdated" | "event" | "due">;
  tickets: Shelf<records.Ticket, "booking">;
  orders: Shelf<records.Order, "created" | "updated">;
  giftCards: Shelf<records.GiftCard, "created" | "code" | "due">;
  consents: Shelf<records.Consent, "created" | "email">;
  entries: Shelf<records.JournalEntry, "occurred" | "document" | "due">;
  subscriptions: Shelf<records.Subscription, "created" | "url">;
  messages: Shelf<records.Message, "created" | "cause" | "kind">;
  deliveries: Shelf<records.Delivery, "due" | "queue" | "message" | "subscription">;
  keys: Shelf<records.Key, "created">;
  tokens: Shelf<records.Token, "client" | "expires">;
}

export interface Desk extends Shelves {
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
  tell(fact: FactName, id: string): void;
  readonly facts: readonly Fact[];
}
