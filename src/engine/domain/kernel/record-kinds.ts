// The kinds of record that people look at, in the order in which they look for them: what each is called, which members name one, what
// says which one it is, which others it can't be without, and where the service answers it.

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
  /** Above a list of them. */
  label: string;
  /** Of the sandbox, and none of the service. */
  internal?: true;
  /** What sentences call one; facts begin with one of these. */
  nouns?: readonly string[];
  /** Members, of any record or body, that hold ids of them. */
  namedBy?: readonly string[];
  /** What says which one it is; of a record that is named, what says which that is. */
  title: readonly string[];
  /** Members that name records which must be there, where it can't outlive them; a star stands for every item of a list. */
  needs?: readonly string[];
  /** The index in which they are listed, and its direction; without one there is one record, with the name of the collection. */
  order?: readonly [index: string, direction: "newest" | "ascending"];
  /** The operation of the service, the parameter of its path, and the member of the record that goes there. */
  answered?: readonly [operation: string, parameter?: string, member?: string];
}

/** A new store has its row here, or the compiler fails: the names are those of the specification's CollectionName. */
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

/** What people do not look for: the sandbox's own records. */
export const isInternal = (collection: string): boolean =>
  recordKinds[collection as CollectionName]?.internal ?? !Object.hasOwn(recordKinds, collection);

const naming = new Map(
  collectionNames.flatMap((name) => (recordKinds[name].namedBy ?? []).map((member) => [member, name] as const)),
);
const nouns = new Map(
  collectionNames.flatMap((name) => (recordKinds[name].nouns ?? []).map((noun) => [noun, name] as const)),
);

/** The collection of what a sentence calls so. */
export const findCollection = (noun: string): CollectionName | undefined => nouns.get(noun);

/** The collection of which a member names a record: the last of the path that is a name. Only an order says in another member of what. */
export function findNamedIn(path: readonly string[], record: object): CollectionName | undefined {
  // Numbers and stars are positions in a list; the name before them says what the list holds.
  if (path.join(".") !== "origin.id") return naming.get(path.findLast((step) => !/^(\*|\d+)$/.test(step)) ?? "");
  return (record as Order).origin.type === "BOOKING" ? "bookings" : "giftCards";
}

type RecordReader = Pick<Transaction, CollectionName>;

const found = (tx: RecordReader, name: CollectionName, id: string): StoredRecord | undefined =>
  tx[name].get(id) as StoredRecord | undefined;

/** What a list says of a record. */
export function getHead(tx: RecordReader, name: CollectionName, record: StoredRecord): RecordHead {
  const { status, state, revoked_at, removed_at, deleted_at, created_at, occurred_at, at } = record;
  // The end of a record says more than its state.
  const ended = revoked_at ? "REVOKED" : (removed_at ?? deleted_at) ? "DELETED" : (status ?? state);
  const made = created_at ?? occurred_at ?? at;
  return {
    ...toTitle(tx, name, record),
    ...(ended ? { state: String(ended) } : {}),
    ...(made ? { made_at: String(made) } : {}),
  };
}

/** "Anna Holm · 2030-06-01 18:00 · Evening tour", and the zone of a time in it. */
function toTitle(tx: RecordReader, name: CollectionName, record: StoredRecord): Pick<RecordHead, "title" | "timezone"> {
  let timezone = getValue(record, ["sessions", "0", "timezone"]) as string | undefined;
  const parts = recordKinds[name].title.map((path) => {
    const steps = path.split(".");
    const value = getValue(record, steps);
    const named = findNamedIn(steps, record);
    const other = named && typeof value === "string" ? found(tx, named, value) : undefined;
    // A title may name a record, which is shown by its own title.
    const owner = named && other && toTitle(tx, named, other);
    // Of the first time in it: a title shows one time at most.
    timezone ??= owner?.timezone;
    return owner?.title || toText(value);
  });
  return { title: parts.filter(Boolean).join(" · "), ...(timezone ? { timezone } : {}) };
}

function toText(value: unknown): string {
  if (typeof value === "string") return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
  if (typeof value !== "object" || value === null) return "";
  // Money, or a text in several languages.
  return isAmount(value) ? formatAmount(value) : toText(Object.values(value)[0]);
}

/** The records that it names, each once, in the order in which they stand in it; those that are gone have no title. */
export function listNamed(tx: RecordReader, record: StoredRecord): RecordReference[] {
  const all = new Map<string, RecordReference>();
  for (const named of walkIds(record, [], record)) if (!all.has(named.id)) all.set(named.id, withTitle(tx, named));
  return [...all.values()];
}

/** The first of them, in a record or a part of one. */
export function findNamed(tx: RecordReader, part: object): RecordReference | undefined {
  const [first] = walkIds(part, [], part);
  return first && withTitle(tx, first);
}

function withTitle(tx: RecordReader, { collection, id }: RecordReference): RecordReference {
  const record = found(tx, collection, id);
  return { collection, id, ...(record ? toTitle(tx, collection, record) : {}) };
}

function* walkIds(value: unknown, path: readonly string[], record: object): Generator<RecordReference> {
  if (typeof value === "string") {
    const collection = findNamedIn(path, record);
    if (collection) yield { collection, id: value };
    // The body of a message is kept as it is sent.
    else if (path.join() === "body") yield* walkIds(JSON.parse(value), ["payload"], record);
  } else if (typeof value === "object" && value !== null)
    for (const [name, each] of Object.entries(value)) yield* walkIds(each, [...path, name], record);
}
