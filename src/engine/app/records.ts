// Counts, lists, searches and finds the stored records of a world. A list uses an index. A search reads a limited
// number of records and reports where it stopped. Secrets are redacted, and tokens are omitted.

import type { Schemas } from "../../contract/schemas.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { CollectionName, StoredRecord } from "../domain/kernel/record-kinds.ts";
import { collectionNames, getHead, listNamed, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Transaction, Walk } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import { type Name, table } from "../world/state/schema.ts";
import { listRelated } from "./related.ts";

type RecordPage = Schemas["RecordPage"];
type RecordView = Omit<Schemas["RecordShown"], "answer" | "acts">;

export interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

interface RecordQuery extends PageQuery {
  q?: string | undefined;
  where?: readonly string[] | undefined;
  /** A search reads whole records, so its page ends after this many. */
  maxSearched?: number;
}

/** The part of a collection that is used here. */
interface BrowsedCollection {
  get(id: string): StoredRecord | undefined;
  walk(index: string, bounds?: Walk): Iterable<StoredRecord>;
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

export const toCursor = (...parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** Reads the strings in a cursor of the control API. Rejects with INVALID_INPUT unless there are exactly `length`. */
export function readCursor(cursor: string, length: number): string[] {
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
