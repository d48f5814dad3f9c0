// The records of a world as they are kept, for whoever looks into it: counted, paged newest first, searched, found. A page comes from
// an index; a search looks at a bounded number of records and says where it stopped. Secrets are redacted, and tokens are left out.

import type { Schemas } from "../../contract/schemas.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { CollectionName, StoredRecord } from "../domain/kernel/record-kinds.ts";
import { collectionNames, headOf, namedIn, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Transaction, Walk } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import { type Name, table } from "../world/state/schema.ts";
import type { RecordsWanted } from "./application.ts";
import { relatedTo } from "./related.ts";

type RecordPage = Schemas["RecordPage"];
type RecordView = Omit<Schemas["RecordShown"], "answer" | "acts">;

/** All kinds that people look at, empty ones too. */
export const collectionCounts = (tx: Transaction): Schemas["CollectionList"]["items"] =>
  collectionNames.map((collection) => {
    const { label, namedBy = [] } = recordKinds[collection];
    return { collection, label, count: collectionOf(tx, collection).size, named_by: [...namedBy] };
  });

/** A collection as far as it is looked at here. */
interface Browsed {
  get(id: string): StoredRecord | undefined;
  walk(index: string, bounds?: Walk): Iterable<StoredRecord>;
  readonly size: number;
}

const collectionOf = (tx: Transaction, name: CollectionName): Browsed => tx[name as Name] as unknown as Browsed;

/** A search reads whole records, so that a page of it looks at no more than these. */
const MOST_LOOKED_AT = 1000;

/** A page of a search ends at its limit, or after so many records; then `stopped` says where. Rejects with INVALID_INPUT. */
export function recordPage(tx: Transaction, name: CollectionName, wanted: RecordsWanted): RecordPage {
  const page = foundPage(tx, name, wanted);
  const heads = page.items.map((record) => [record.id, headOf(tx, name, record)] as const);
  return { ...page, heads: Object.fromEntries(heads) };
}

function foundPage(
  tx: Transaction,
  name: CollectionName,
  { q, where = [], cursor, limit, mostLookedAt = MOST_LOOKED_AT }: RecordsWanted,
): Omit<RecordPage, "heads"> {
  // A search for an id finds the one record at once.
  const whole = q !== undefined && cursor === undefined ? recordOf(tx, name, q) : undefined;
  if (whole) return { items: [whole] };
  const fits = q === undefined && where.length === 0 ? undefined : filterOf(q, where);
  const items: StoredRecord[] = [];
  let looked = 0;
  let last: StoredRecord | undefined;
  for (const record of walked(tx, name, cursor)) {
    if (last && (items.length === limit || (fits && looked === mostLookedAt))) {
      const stopped = { looked_at: looked, of: collectionOf(tx, name).size };
      return { items, next: cursorOf(name, last), ...(fits ? { stopped } : {}) };
    }
    looked++;
    last = record;
    if (fits && !fits(record)) continue;
    // Those with the text are searched as they are shown, so that no secret can be guessed by searching.
    const view = redactRecord(record);
    if (!fits || fits(view)) items.push(view);
  }
  return { items };
}

function recordOf(tx: Transaction, name: CollectionName, id: string): StoredRecord | undefined {
  const record = collectionOf(tx, name).get(id);
  return record && redactRecord(record);
}

/** With what a list says of it, with the records that it names, and with those from whose side it is named. */
export function recordView(tx: Transaction, name: CollectionName, id: string): RecordView | undefined {
  const record = recordOf(tx, name, id);
  if (!record) return undefined;
  const [head, references] = [headOf(tx, name, record), namedIn(tx, record)];
  return { collection: name, record, head, references, related: relatedTo(tx, name, record) };
}

function walked(tx: Transaction, name: CollectionName, cursor: string | undefined): Iterable<StoredRecord> {
  const [index, direction] = recordKinds[name].order ?? [];
  const descending = direction === "newest";
  const collection = collectionOf(tx, name);
  if (index !== undefined)
    return collection.walk(index, { descending, ...(cursor === undefined ? {} : { past: positionIn(cursor) }) });
  // A collection without an order has one record, with its own name as id.
  const record = collection.get(name);
  return record ? [record] : [];
}

/** The position behind a record: its key in the index, and its id. */
function cursorOf(name: CollectionName, record: StoredRecord): string {
  const [order = ""] = recordKinds[name].order ?? [];
  const index = (table[name as Name] as Record<string, (record: StoredRecord) => readonly string[]>)[order];
  return Buffer.from(JSON.stringify([index?.(record)[0] ?? "", record.id])).toString("base64url");
}

function positionIn(cursor: string): { key: string; id: string } {
  const [key, id] = readCursor(cursor, 2);
  return { key: key as string, id: id as string };
}

/** The texts in a cursor of the control surface. Rejects with INVALID_INPUT unless it holds just so many. */
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
function filterOf(q: string | undefined, where: readonly string[]): (record: StoredRecord) => boolean {
  const text = q?.toLowerCase();
  const members = where.map(readWhere);
  return (record) =>
    members.every(([path, value]) => hasAt(record, path, value)) &&
    (text === undefined || JSON.stringify(record).toLowerCase().includes(text));
}

function readWhere(text: string, index: number): [path: string[], value: string] {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path !== undefined && value !== undefined) return [path.split("."), value];
  const what = `${text.slice(0, 60)} is not path=value, such as status=ACTIVE.`;
  return reject("INVALID_INPUT", { path: `query.where.${index}`, what });
}

/** A path through a list is in any of its items, unless it names one by its number. */
function hasAt(value: unknown, [member, ...rest]: readonly string[], wanted: string): boolean {
  if (Array.isArray(value) && (member === undefined || !/^\d+$/.test(member)))
    return value.some((item) => hasAt(item, member === undefined ? [] : [member, ...rest], wanted));
  if (member === undefined) return String(value) === wanted;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return false;
  return hasAt((value as Record<string, unknown>)[member], rest, wanted);
}
