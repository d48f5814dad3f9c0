// Describes the kinds of record that people look at, in the order of lists: their names, the fields that refer to them,
// their titles, the records that they require, and the operations of the service that return them.

import type { Schemas } from "../../../contract/schemas.ts";
import { formatAmount, isAmount } from "../../../platform/amount-text.ts";
import { getValue } from "../../../platform/member-paths.ts";
import type { Order } from "./records.ts";
import type { Transaction } from "./transaction.ts";

export type CollectionName = Schemas["CollectionName"];
export type StoredRecord = Schemas["StoredRecord"];
type RecordHead = Schemas["RecordHead"];
export type RecordReference = Schemas["RecordReference"];

interface RecordKind {
  /** The heading of a list of these records. */
  label: string;
  /** Marks a kind that only the sandbox has, not the service. */
  internal?: true;
  /** Names for one record in messages; facts begin with one of these. */
  nouns?: readonly string[];
  /** Fields of records and bodies that hold ids of this kind. */
  namedBy?: readonly string[];
  /** The fields that form a record's title. If a field refers to a record, that record's title is used. */
  title: readonly string[];
  /** Fields that refer to required records, which this kind can't outlive. An asterisk means every item of a list. */
  needs?: readonly string[];
  /** The index of lists, and its direction. A kind without one has a single record with the name of the collection. */
  order?: readonly [index: string, direction: "newest" | "ascending"];
  /** The operation of the service, the parameter of its path, and the field of the record for that parameter. */
  answered?: readonly [operation: string, parameter?: string, member?: string];
}

/** The compiler requires a row for every store, because the names are those of the specification's CollectionName. */
export const recordKinds: Readonly<Record<CollectionName, RecordKind>> = {
  bookings: {
    label: "bookings",
    nouns: ["booking", "checkout"],
    namedBy: ["booking_id", "locked_by"],
    title: ["customer.name", "event_id"],
    needs: ["experience_id", "event_id", "order_id"],
    order: ["created", "newest"],
    answered: ["getBooking", "bookingId"],
  },
  orders: {
    label: "orders",
    nouns: ["order"],
    namedBy: ["order_id", "destination_order_id"],
    title: ["number", "totals.amount"],
    needs: ["origin.id"],
    order: ["created", "newest"],
    answered: ["getOrder", "orderId"],
  },
  events: {
    label: "events",
    nouns: ["event"],
    namedBy: ["event_id"],
    title: ["sessions.0.start_time", "experience_id"],
    needs: ["experience_id", "sessions.*.location_id", "resource_ids.*", "locked_by"],
    order: ["ever", "newest"],
    answered: ["getEvent", "eventId"],
  },
  experiences: {
    label: "experiences",
    nouns: ["experience"],
    namedBy: ["experience_id"],
    title: ["name"],
    needs: [
      "location_ids.*",
      "opening_rules.*.location_id",
      "ticket_variants.*.resources.*.resource_id",
      "ticket_variants.*.add_on_variants.*.resources.*.resource_id",
    ],
    order: ["ever", "newest"],
    answered: ["getExperience", "experienceId"],
  },
  giftCards: {
    label: "gift cards",
    nouns: ["gift card"],
    namedBy: ["gift_card_id"],
    title: ["code", "balance"],
    needs: ["order_id"],
    order: ["created", "newest"],
    answered: ["getGiftCard", "giftCardId"],
  },
  tickets: {
    label: "tickets",
    nouns: ["ticket"],
    namedBy: ["ticket_id"],
    title: ["booking_id"],
    needs: ["booking_id", "event_id"],
    order: ["booking", "ascending"],
    answered: ["listBookingTickets", "bookingId", "booking_id"],
  },
  entries: {
    label: "journal entries",
    nouns: ["journal entry"],
    namedBy: ["journal_entry_id"],
    title: ["number", "kind"],
    needs: ["order_id", "booking_id", "gift_card_id"],
    order: ["occurred", "newest"],
    answered: ["getJournalEntry", "journalEntryId"],
  },
  consents: {
    label: "consents",
    nouns: ["marketing consent", "consent"],
    namedBy: ["consent_id"],
    title: ["full_name", "email"],
    order: ["created", "newest"],
    answered: ["getMarketingConsent", "consentId"],
  },
  locations: {
    label: "locations",
    nouns: ["location"],
    namedBy: ["location_id", "location_ids"],
    title: ["name"],
    order: ["ever", "newest"],
    answered: ["getLocation", "locationId"],
  },
  resources: {
    label: "resources",
    namedBy: ["resource_id", "resource_ids"],
    title: ["name"],
    order: ["ever", "ascending"],
  },
  subscriptions: {
    label: "subscriptions",
    nouns: ["webhook subscription"],
    namedBy: ["subscription_id"],
    title: ["url"],
    order: ["created", "newest"],
    answered: ["getWebhookSubscription", "subscriptionId"],
  },
  messages: { label: "messages", namedBy: ["message_id"], title: ["kind"], order: ["created", "newest"] },
  deliveries: {
    label: "deliveries",
    internal: true,
    title: ["url", "message_id"],
    needs: ["message_id"],
    order: ["ever", "newest"],
  },
  keys: {
    label: "keys",
    nouns: ["key", "token"],
    namedBy: ["client_id"],
    title: ["name"],
    order: ["created", "newest"],
  },
  company: { label: "company", title: ["name"], answered: ["getMe"] },
  clock: { label: "clock", internal: true, title: ["mode"] },
  counters: { label: "counters", internal: true, title: [] },
  identity: { label: "identity", internal: true, title: ["fixture"] },
};

export const collectionNames = Object.keys(recordKinds) as CollectionName[];

/** Whether people don't look for these records, because they belong to the sandbox. */
export const isInternal = (collection: string): boolean =>
  recordKinds[collection as CollectionName]?.internal ?? !Object.hasOwn(recordKinds, collection);

const collectionByField = new Map(
  collectionNames.flatMap((name) => (recordKinds[name].namedBy ?? []).map((member) => [member, name] as const)),
);
const nouns = new Map(
  collectionNames.flatMap((name) => (recordKinds[name].nouns ?? []).map((noun) => [noun, name] as const)),
);

/** Finds the collection by a noun of messages. */
export const findCollection = (noun: string): CollectionName | undefined => nouns.get(noun);

/**
 * Finds the collection to which a field refers, by the last name in its path. Only an order names the collection in
 * another field.
 */
export function findNamedIn(path: readonly string[], record: object): CollectionName | undefined {
  // Numbers and asterisks are positions in a list; the name before them identifies the content of the list.
  if (path.join(".") !== "origin.id")
    return collectionByField.get(path.findLast((step) => !/^(\*|\d+)$/.test(step)) ?? "");
  return (record as Order).origin.type === "BOOKING" ? "bookings" : "giftCards";
}

type RecordReader = Pick<Transaction, CollectionName>;

const getRecord = (tx: RecordReader, name: CollectionName, id: string): StoredRecord | undefined =>
  tx[name].get(id) as StoredRecord | undefined;

/** Returns the summary of a record for lists. */
export function getHead(tx: RecordReader, name: CollectionName, record: StoredRecord): RecordHead {
  const { status, state, revoked_at, removed_at, deleted_at, created_at, occurred_at, at } = record;
  // The end of a record is more important than its state.
  const ended = revoked_at ? "REVOKED" : (removed_at ?? deleted_at) ? "DELETED" : (status ?? state);
  const madeAt = created_at ?? occurred_at ?? at;
  return {
    ...toTitle(tx, name, record),
    ...(ended ? { state: String(ended) } : {}),
    ...(madeAt ? { made_at: String(madeAt) } : {}),
  };
}

/** Formats a title such as "Anna Holm · 2030-06-01 18:00 · Evening tour", with the zone of the time in it. */
function toTitle(tx: RecordReader, name: CollectionName, record: StoredRecord): Pick<RecordHead, "title" | "timezone"> {
  let timezone = getValue(record, ["sessions", "0", "timezone"]) as string | undefined;
  const parts = recordKinds[name].title.map((path) => {
    const steps = path.split(".");
    const value = getValue(record, steps);
    const named = findNamedIn(steps, record);
    const other = named && typeof value === "string" ? getRecord(tx, named, value) : undefined;
    // A title may refer to a record, whose own title is shown instead.
    const owner = named && other && toTitle(tx, named, other);
    // The zone is that of the first time, because a title shows at most one time.
    timezone ??= owner?.timezone;
    return owner?.title || toText(value);
  });
  return { title: parts.filter(Boolean).join(" · "), ...(timezone ? { timezone } : {}) };
}

function toText(value: unknown): string {
  if (typeof value === "string") return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
  if (typeof value !== "object" || value === null) return "";
  // The value is money, or a text in several languages.
  return isAmount(value) ? formatAmount(value) : toText(Object.values(value)[0]);
}

/** Lists the records to which a record refers, each once, in order. Records that no longer exist have no title. */
export function listNamed(tx: RecordReader, record: StoredRecord): RecordReference[] {
  const all = new Map<string, RecordReference>();
  for (const named of walkIds(record, [], record)) if (!all.has(named.id)) all.set(named.id, withTitle(tx, named));
  return [...all.values()];
}

/** Finds the first record to which a record or a part of one refers. */
export function findNamed(tx: RecordReader, part: object): RecordReference | undefined {
  const [first] = walkIds(part, [], part);
  return first && withTitle(tx, first);
}

function withTitle(tx: RecordReader, { collection, id }: RecordReference): RecordReference {
  const record = getRecord(tx, collection, id);
  return { collection, id, ...(record ? toTitle(tx, collection, record) : {}) };
}

function* walkIds(value: unknown, path: readonly string[], record: object): Generator<RecordReference> {
  if (typeof value === "string") {
    const collection = findNamedIn(path, record);
    if (collection) yield { collection, id: value };
    // The body of a message is stored as the text that is sent.
    else if (path.join() === "body") yield* walkIds(JSON.parse(value), ["payload"], record);
  } else if (typeof value === "object" && value !== null)
    for (const [name, each] of Object.entries(value)) yield* walkIds(each, [...path, name], record);
}
