// Counts, lists, searches and finds the stored records of a world, with related records and due work. A list uses an
// index. A search reads a limited number of records and reports where it stopped. Secrets are redacted, and tokens are
// omitted.

import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import { compareTexts } from "../../platform/sorted-map.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { toSortable } from "../domain/kernel/index-keys.ts";
import { type Instant, toLocal } from "../domain/kernel/instant.ts";
import type { CollectionName, StoredRecord } from "../domain/kernel/record-kinds.ts";
import { collectionNames, getHead, listNamed, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction, Walk } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import { compareDue, listDue } from "../time/due.ts";
import { type Name, table } from "../world/state/schema.ts";

type RecordPage = Schemas["RecordPage"];
type RecordView = Omit<Schemas["RecordShown"], "answer" | "acts">;

interface RecordQuery {
  cursor?: string | undefined;
  limit: number;
  q?: string | undefined;
  where?: readonly string[] | undefined;
  /** A search reads whole records, so its page ends after this many. */
  maxSearched?: number;
}

/** The part of a collection that is used here. */
interface BrowsedCollection {
  get(id: string): StoredRecord | undefined;
  walk(index: string, bounds?: Walk): Iterable<StoredRecord>;
  where(index: string, key: string): readonly StoredRecord[];
  readonly size: number;
}

const getCollection = (tx: Transaction, name: CollectionName) => tx[name as Name] as unknown as BrowsedCollection;

/** Counts the records of all visible collections, including empty ones. */
export function countRecords(tx: Transaction): Schemas["CollectionList"]["items"] {
  return collectionNames.map((collection) => {
    const { label, namedBy = [] } = recordKinds[collection];
    return { collection, label, count: getCollection(tx, collection).size, named_by: [...namedBy] };
  });
}

/**
 * Returns a page of records. A search also ends after `maxSearched` records; then `stopped` reports where. Rejects with
 * INVALID_INPUT.
 */
export function getRecordPage(tx: Transaction, name: CollectionName, query: RecordQuery): RecordPage {
  const page = findPage(tx, name, query);
  const heads = page.items.map((record) => [record.id, getHead(tx, name, record)] as const);
  return { ...page, heads: Object.fromEntries(heads) };
}

function findPage(
  tx: Transaction,
  name: CollectionName,
  { q, where = [], cursor, limit, maxSearched = 1000 }: RecordQuery,
): Omit<RecordPage, "heads"> {
  // A search for an id finds its record without reading others.
  const exact = q !== undefined && cursor === undefined ? getCollection(tx, name).get(q) : undefined;
  if (exact) return { items: [redactRecord(exact)] };
  const fits = q === undefined && where.length === 0 ? undefined : createTest(q, where);
  const items: StoredRecord[] = [];
  let [searched, last] = [0, undefined as StoredRecord | undefined];
  for (const record of walk(tx, name, cursor)) {
    if (last && (items.length === limit || (fits && searched === maxSearched))) {
      const page = { items, next: toCursor(findRecordKey(name, last), last.id) };
      return fits ? { ...page, stopped: { looked_at: searched, of: getCollection(tx, name).size } } : page;
    }
    searched++;
    last = record;
    // The redacted record is searched, so that a search can't reveal secrets.
    const view = redactRecord(record);
    if (!fits || fits(view)) items.push(view);
  }
  return { items };
}

/** Finds a record with its title, the records that it names, and those that name it. */
export function findRecord(tx: Transaction, name: CollectionName, id: string): RecordView | undefined {
  const stored = getCollection(tx, name).get(id);
  if (!stored) return undefined;
  const record = redactRecord(stored);
  const [head, references] = [getHead(tx, name, record), listNamed(tx, record)];
  return { collection: name, record, head, references, related: listRelated(tx, name, record) };
}

function walk(tx: Transaction, name: CollectionName, cursor: string | undefined): Iterable<StoredRecord> {
  const [index, direction] = recordKinds[name].order ?? [];
  const collection = getCollection(tx, name);
  // A collection without an order has one record, whose id is the name of the collection.
  if (index === undefined) return [collection.get(name) ?? []].flat();
  const descending = direction === "newest";
  if (cursor === undefined) return collection.walk(index, { descending });
  const [key = "", id = ""] = readCursor(cursor, 2);
  return collection.walk(index, { descending, past: { key, id } });
}

/** Finds the key of a record in the index by which its collection is listed. */
function findRecordKey(name: CollectionName, record: StoredRecord): string {
  const [order = ""] = recordKinds[name].order ?? [];
  const index = (table[name as Name] as Record<string, (record: StoredRecord) => readonly string[]>)[order];
  return index?.(record)[0] ?? "";
}

const toCursor = (...parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** Reads the strings in a cursor of the control API. Rejects with INVALID_INPUT unless there are exactly `length`. */
function readCursor(cursor: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === "string"))
      return parts;
  } catch {
    // Invalid JSON is rejected like other invalid cursors.
  }
  const what = "this is not a cursor of this list. Send `next` of a page unchanged, or omit the cursor.";
  return reject("INVALID_INPUT", { path: "query.cursor", what });
}

/** Creates a test for records that have every field of `where`, and contain the text `q`. */
function createTest(q: string | undefined, where: readonly string[]): (record: StoredRecord) => boolean {
  const text = q?.toLowerCase() ?? "";
  const members = where.map(readWhere);
  return (record) =>
    members.every(([path, value]) => hasValue(record, path, value)) &&
    JSON.stringify(record).toLowerCase().includes(text);
}

function readWhere(text: string, index: number): [path: string[], value: string] {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path !== undefined && value !== undefined) return [path.split("."), value];
  const what = `${text.slice(0, 60)} is not path=value, such as status=ACTIVE.`;
  return reject("INVALID_INPUT", { path: `query.where.${index}`, what });
}

/** Whether the path leads to the value. A path through a list matches any item, unless it has an index. */
function hasValue(value: unknown, path: readonly string[], wanted: string): boolean {
  const [member, ...rest] = path;
  if (Array.isArray(value) && (member === undefined || !/^\d+$/.test(member)))
    return value.some((item) => hasValue(item, path, wanted));
  if (member === undefined) return String(value) === wanted;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return false;
  return hasValue((value as Record<string, unknown>)[member], rest, wanted);
}

type Related = Schemas["RelatedRecords"];

/** How to find related records: by an index and the field with its key, or as messages about the record. */
type Relation = readonly [index: string, field: string] | "about";

const RELATED: Readonly<Partial<Record<CollectionName, Readonly<Partial<Record<CollectionName, Relation>>>>>> = {
  bookings: { tickets: ["booking", "id"], entries: ["order", "order_id"], messages: "about", deliveries: "about" },
  orders: { entries: ["order", "id"], messages: "about" },
  giftCards: { entries: ["order", "order_id"], messages: "about", deliveries: "about" },
  events: { bookings: ["event", "id"], messages: "about" },
  experiences: { events: ["experience", "id"] },
  messages: { deliveries: ["message", "id"] },
  subscriptions: { deliveries: ["subscription", "id"] },
};

/** The number of records that are listed of each kind. */
const MAX_RELATED = 10;
/** Messages have no index of the records that they are about, so this many of the newest are searched. */
const MAX_SEARCHED_MESSAGES = 1000;

/** Lists the number of records of each kind that name a record or are about it, and the newest of them. */
function listRelated(tx: Transaction, name: CollectionName, record: StoredRecord): Related[] {
  const relations = Object.entries(RELATED[name] ?? {}) as [CollectionName, Relation][];
  const messages = relations.some(([, relation]) => relation === "about") ? findMessages(tx, record.id) : [];
  return relations.flatMap(([collection, relation]) => {
    const all = findRelated(tx, collection, relation, { record, messages });
    const byAge = all.toSorted((one, other) => compareTexts(readAge(one), readAge(other)));
    const newest = byAge.slice(-MAX_RELATED).reverse();
    const items = newest.map((each) => toRow(tx, collection, each));
    return items.length === 0 ? [] : [{ collection, count: all.length, items }];
  });
}

function findRelated(
  tx: Transaction,
  collection: CollectionName,
  relation: Relation,
  { record, messages }: { record: StoredRecord; messages: readonly Message[] },
): readonly StoredRecord[] {
  if (relation !== "about") {
    const [index, field] = relation;
    return getCollection(tx, collection).where(index, String(record[field] ?? ""));
  }
  if (collection === "messages") return messages as readonly object[] as readonly StoredRecord[];
  return messages.flatMap(({ id }) => getCollection(tx, "deliveries").where("message", id));
}

/** Finds the messages whose bodies contain the id, oldest first. */
function findMessages(tx: Transaction, id: string): Message[] {
  const found: Message[] = [];
  let searched = 0;
  for (const message of tx.messages.walk("created", { descending: true })) {
    if (searched++ === MAX_SEARCHED_MESSAGES) break;
    if (message.body.includes(`"${id}"`)) found.push(message);
  }
  return found.reverse();
}

/** Returns a key that sorts by age. A delivery has no time, only a number. */
function readAge({ created_at, occurred_at, place }: StoredRecord): string {
  return String(created_at ?? occurred_at ?? (place === undefined ? "" : toSortable(Number(place))));
}

function toRow(tx: Transaction, collection: CollectionName, record: StoredRecord): Related["items"][number] {
  const { title, timezone, state } = getHead(tx, collection, redactRecord(record));
  return { collection, id: record.id, title, ...(timezone ? { timezone } : {}), ...(state ? { state } : {}) };
}

type DueView = Schemas["Due"];
type ListedDue = Parameters<typeof compareDue>[0];

/** The collections of the due records. */
const DUE_COLLECTIONS = {
  eventCompleted: "events",
  giftCardExpired: "giftCards",
  documentAttached: "entries",
  checkoutLapsed: "bookings",
  delivery: "deliveries",
} as const satisfies Record<DueView["what"], CollectionName>;

/** Sorts a delivery after the records of its instant, because they may cause deliveries. */
const AFTER_RECORDS = "~";

/** Returns a page of due work up to and including `until`, in the order in which a move of the clock performs it. */
export function getDuePage(
  tx: Transaction,
  { until, cursor, limit }: Pick<RecordQuery, "cursor" | "limit"> & { until?: Instant | undefined },
): Schemas["DueList"] {
  const [at = "", what = "", id = "", made = ""] = cursor === undefined ? [] : readCursor(cursor, 4);
  const deliveries = Array.from(tx.deliveries.walk("due"), ({ id, next_attempt_at = "" }): ListedDue => {
    return { at: next_attempt_at, what: "delivery", id, made: AFTER_RECORDS };
  });
  const rows = [...listDue(tx), ...deliveries]
    .sort(compareDue)
    .filter((row) => compareDue(row, { at, what, id, made }) > 0 && (until === undefined || row.at <= until));
  const items = rows.slice(0, limit).map((row) => toDueView(tx, row));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last ? { items, more: true, next: toCursor(last.at, last.what, last.id, last.made) } : { items, more: false };
}

function toDueView(tx: Transaction, { at, what: kind, id }: ListedDue): DueView {
  const what = kind as DueView["what"];
  const record = getCollection(tx, DUE_COLLECTIONS[what]).get(id);
  const { title, timezone } = record ? getHead(tx, DUE_COLLECTIONS[what], redactRecord(record)) : {};
  const local_time = timezone === undefined ? undefined : toLocal(at, timezone);
  return { at, what, id, ...optional({ title, timezone, local_time }) };
}
