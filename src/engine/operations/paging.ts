// Builds pages of a collection: {next, items}. Heading "Pagination rules"; assumption cursor-invalid: a cursor is signed by
// its world, names a position (not a snapshot), and stays valid with other filters and long after its page.
import { createHmac, timingSafeEqual } from "node:crypto";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

/** The position after a record: its key in the order of the list, and its id, because keys may be equal. */
export interface PagePosition {
  key: string;
  id: string;
  /** The number of pages without items before it. */
  hollow?: number;
}

interface Paged<R, Shown> {
  /** The name of the list. A cursor is valid for one list only. */
  list: string;
  query: { cursor?: string | undefined; limit?: number | undefined };
  /** The path of the cursor in the request. The default is the query. */
  path?: string;
  /** Returns the position of a record in the order of the list. */
  keyOf(record: R): string;
  /** Yields records in order, after the position. */
  behind(past: PagePosition | undefined): Iterable<R>;
  show(record: R): Shown;
  /** Set if `show` reads nothing but the record. */
  showsOnlyRecords?: true;
}

interface Page<Shown> {
  next?: string;
  items: Shown[];
}

/**
 * Builds a page. Reads one record more than the limit, so that the last page has no `next`. Rejects an invalid
 * cursor with INVALID_INPUT.
 */
export function page<R extends { id: string }, Shown>(tx: Transaction, paged: Paged<R, Shown>): Page<Shown> {
  const { cursor, limit = 100 } = paged.query;
  const past = cursor ? readCursor(tx, paged, cursor) : undefined;
  const records: R[] = [];
  let next: string | undefined;
  // A fault requests a page without items: its cursor is another text for the same position.
  if (limit === 0 && past)
    return { next: writeCursor(tx, paged.list, { ...past, hollow: (past.hollow ?? 0) + 1 }), items: [] };
  for (const record of paged.behind(past)) {
    const last = records[limit - 1];
    if (last) {
      next = writeCursor(tx, paged.list, { key: paged.keyOf(last), id: last.id });
      break;
    }
    records.push(record);
  }
  const show = (): Page<Shown> => {
    const items = records.map(paged.show);
    return next === undefined ? { items } : { next, items };
  };
  return paged.showsOnlyRecords ? renderOnce({ list: paged.list, next, records }, show) : show();
}

function sign(tx: Transaction, list: string, position: string): string {
  // The key follows from the seed of the world, so that equal worlds give equal cursors.
  const key = tx.identity.get("identity")?.cursor_key ?? "";
  return createHmac("sha256", key).update(`${tx.world}\n${list}\n${position}`).digest("base64url").slice(0, 16);
}

function writeCursor(tx: Transaction, list: string, { key, id, hollow }: PagePosition): string {
  const position = Buffer.from(JSON.stringify(hollow ? [key, id, hollow] : [key, id])).toString("base64url");
  return sign(tx, list, position) + position;
}

function readCursor(
  tx: Transaction,
  { list, path = "query.cursor" }: { list: string; path?: string },
  cursor: string,
): PagePosition {
  const position = cursor.slice(16);
  const [given, right] = [cursor.slice(0, 16), sign(tx, list, position)].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
  ];
  // The comparison in constant time needs texts of equal length.
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    reject("INVALID_INPUT", {
      path,
      what: "this is not a cursor of this list. Send `next` of a page unchanged, or leave it out.",
    });
  }
  const [key, id, hollow] = JSON.parse(Buffer.from(position, "base64url").toString()) as [string, string, number?];
  return { key, id, ...(hollow === undefined ? {} : { hollow }) };
}

/** Pages through a list of one record in its own order. A position that no longer exists ends it. */
export function pageList<R extends { id: string }>(records: readonly R[]) {
  return {
    keyOf: (record: R) => String(records.indexOf(record)).padStart(6, "0"),
    behind: (past: PagePosition | undefined) => records.slice(past ? Number(past.key) + 1 : 0),
  };
}

/** The number of cached pages. A page that is not cached costs no more than any page. */
const MAX_PAGES = 10;

interface PageView {
  list: string;
  next: string | undefined;
  records: readonly object[];
  page: object;
}

/** Cached pages by their first record. A record is never changed in place, so the same records give the same page. */
const cache = new Map<object, PageView>();

/**
 * Returns the cached page of the same records. A page is frozen from its second time on, so that its JSON is cached too: clients that
 * poll a list mostly find it unchanged.
 */
function renderOnce<P extends object>({ list, next, records }: Omit<PageView, "page">, show: () => P): P {
  const [first] = records;
  if (!first) return show();
  const known = cache.get(first);
  if (known && known.list === list && known.next === next && isSame(known.records, records))
    return Object.freeze(known.page) as P;
  const page = show();
  cache.delete(first);
  cache.set(first, { list, next, records, page });
  for (const oldest of cache.keys()) if (cache.size > MAX_PAGES) cache.delete(oldest);
  return page;
}

const isSame = (some: readonly object[], others: readonly object[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index]);
