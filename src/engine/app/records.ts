// The records of a world as they are stored: counted, paged newest first, searched, found, and those that are due. A page comes from an index;
// a search looks at a limited number of records and says where it stopped. Secrets are redacted, and tokens are left out.

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

/** A collection as far as it is looked at here. */
interface BrowsedCollection {
  get(id: string): StoredRecord | undefined;
  walk(index: string, bounds?: Walk): Iterable<StoredRecord>;
  readonly size: number;
}

const browse = (tx: Transaction, name: CollectionName) => tx[name as Name] as unknown as BrowsedCollection;

/** All kinds that people look at, empty ones too. */
export function countRecords(tx: Transaction): Schemas["CollectionList"]["items"] {
  return collectionNames.map((collection) => {
    const { label, namedBy = [] } = recordKinds[collection];
    return { collection, label, count: browse(tx, collection).size, named_by: [...namedBy] };
  });
}

/** A page of a search ends at its limit, or after `maxSearched` records; then `stopped` says where. Rejects with INVALID_INPUT. */
export function pageRecords(tx: Transaction, name: CollectionName, query: RecordQuery): RecordPage {
  const page = findPage(tx, name, query);
  const heads = page.items.map((record) => [record.id, getHead(tx, name, record)] as const);
  return { ...page, heads: Object.fromEntries(heads) };
}

function findPage(
  tx: Transaction,
  name: CollectionName,
  { q, where = [], cursor, limit, maxSearched = 1000 }: RecordQuery,
): Omit<RecordPage, "heads"> {
  // A search for an id finds the one record at once.
  const exact = q !== undefined && cursor === undefined ? browse(tx, name).get(q) : undefined;
  if (exact) return { items: [redactRecord(exact)] };
  const fits = q === undefined && where.length === 0 ? undefined : createTest(q, where);
  const items: StoredRecord[] = [];
  let [searched, last] = [0, undefined as StoredRecord | undefined];
  for (const record of walk(tx, name, cursor)) {
    if (last && (items.length === limit || (fits && searched === maxSearched))) {
      const page = { items, next: toCursor(findKey(name, last), last.id) };
      return fits ? { ...page, stopped: { looked_at: searched, of: browse(tx, name).size } } : page;
    }
    searched++;
    last = record;
    if (fits && !fits(record)) continue;
    // The record as it is shown must fit as well, so that no secret can be guessed by searching.
    const view = redactRecord(record);
    if (!fits || fits(view)) items.push(view);
  }
  return { items };
}

/** A record with its title, with the records that it names, and with those that name it. */
export function findRecord(tx: Transaction, name: CollectionName, id: string): RecordView | undefined {
  const stored = browse(tx, name).get(id);
  if (!stored) return undefined;
  const record = redactRecord(stored);
  const [head, references] = [getHead(tx, name, record), listNamed(tx, record)];
  return { collection: name, record, head, references, related: listRelated(tx, name, record) };
}

function walk(tx: Transaction, name: CollectionName, cursor: string | undefined): Iterable<StoredRecord> {
  const [index, direction] = recordKinds[name].order ?? [];
  const collection = browse(tx, name);
  // A collection without an order has one record, with its own name as id.
  if (index === undefined) return [collection.get(name) ?? []].flat();
  const descending = direction === "newest";
  if (cursor === undefined) return collection.walk(index, { descending });
  const [key = "", id = ""] = readCursor(cursor, 2);
  return collection.walk(index, { descending, past: { key, id } });
}

/** The key of a record in the index by which its collection is listed. */
function findKey(name: CollectionName, record: StoredRecord): string {
  const [order = ""] = recordKinds[name].order ?? [];
  const index = (table[name as Name] as Record<string, (record: StoredRecord) => readonly string[]>)[order];
  return index?.(record)[0] ?? "";
}

export const toCursor = (...parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The texts in a cursor of the control API. Rejects with INVALID_INPUT unless it holds exactly that many. */
export function readCursor(cursor: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === "string"))
      return parts;
  } catch {
    // It is answered below.
  }
  const what = "this is not a cursor of this list. Take `next` of a page unchanged, or leave it out.";
  return reject("INVALID_INPUT", { path: "query.cursor", what });
}

/** Both must hold: every member, and the text anywhere in the record. */
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

/** A path through a list is in any of its items, unless it names one by its number. */
function hasValue(value: unknown, path: readonly string[], wanted: string): boolean {
  const [member, ...rest] = path;
  if (Array.isArray(value) && (member === undefined || !/^\d+$/.test(member)))
    return value.some((item) => hasValue(item, path, wanted));
  if (member === undefined) return String(value) === wanted;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return false;
  return hasValue((value as Record<string, unknown>)[member], rest, wanted);
}
