// Pages of a collection: {next, items}. Heading "Pagination rules"; assumption cursor-invalid: a cursor is signed by its world,
// names a position (not a snapshot), and keeps working with other filters and long after its page.
import { createHmac, timingSafeEqual } from "node:crypto";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { renderOnce } from "./page-view.ts";

/** Behind a record: its key in the order of the list, and its id, since keys may be equal. */
export interface PagePosition {
  key: string;
  id: string;
  /** How many pages without items have led to it. */
  hollow?: number;
}

interface Paged<R, Shown> {
  /** Cursors of one list are not those of another. */
  list: string;
  cursor: string | undefined;
  /** Where the cursor was sent; without it, in the query. */
  path?: string;
  limit: number;
  /** The position of a record in the order of the list. */
  keyOf(record: R): string;
  /** Records in order, after the position. */
  behind(past: PagePosition | undefined): Iterable<R>;
  show(record: R): Shown;
  /** Whether `show` reads nothing but the record. */
  showsOnlyRecords?: true;
}

interface Page<Shown> {
  next?: string;
  items: Shown[];
}

/**
 * Reads one record more than the limit, so that the last page has no `next`. Rejects with INVALID_INPUT for a cursor
 * that is none.
 */
export function page<R extends { id: string }, Shown>(tx: Transaction, paged: Paged<R, Shown>): Page<Shown> {
  const past = paged.cursor ? readCursor(tx, paged, paged.cursor) : undefined;
  const records: R[] = [];
  let next: string | undefined;
  // A fault asks for a page without items: its cursor is another text for the same position.
  if (paged.limit === 0 && past)
    return { next: writeCursor(tx, paged.list, { ...past, hollow: (past.hollow ?? 0) + 1 }), items: [] };
  for (const record of paged.behind(past)) {
    const last = records[paged.limit - 1];
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
  // From the seed of the world, so that equal worlds give equal cursors.
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
  // Of unequal length they can't be compared in constant time.
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    reject("INVALID_INPUT", {
      path,
      what: "this is not a cursor of this list. Take `next` of a page unchanged, or leave it out.",
    });
  }
  const [key, id, hollow] = JSON.parse(Buffer.from(position, "base64url").toString()) as [string, string, number?];
  return { key, id, ...(hollow === undefined ? {} : { hollow }) };
}

/** Pages of a list that is part of one record: in its own order; a position that is gone ends it. */
export function listed<R extends { id: string }>(records: readonly R[]) {
  return {
    keyOf: (record: R) => String(records.indexOf(record)).padStart(6, "0"),
    behind: (past: PagePosition | undefined) => records.slice(past ? Number(past.key) + 1 : 0),
  };
}
