// Lists the due work of a world in pages, in the order in which a move of the clock performs it. At the same instant,
// deliveries are last.
import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import { type Instant, toLocal } from "../domain/kernel/instant.ts";
import { type CollectionName, getHead } from "../domain/kernel/record-kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import { compareDue, listDue } from "../time/due.ts";
import { type PageQuery, readCursor, toCursor } from "./records.ts";

type DueView = Schemas["Due"];
type ListedDue = Parameters<typeof compareDue>[0];

/** The collections of the due records. */
const COLLECTIONS = {
  eventCompleted: "events",
  giftCardExpired: "giftCards",
  documentAttached: "entries",
  checkoutLapsed: "bookings",
  delivery: "deliveries",
} as const satisfies Record<DueView["what"], CollectionName>;

/** Sorts a delivery after the records of its instant, because they may cause deliveries. */
const AFTER_RECORDS = "~";

/** Returns a page of due work up to and including `until`. */
export function getDuePage(
  tx: Transaction,
  { until, cursor, limit }: PageQuery & { until?: Instant | undefined },
): Schemas["DueList"] {
  const [at = "", what = "", id = "", made = ""] = cursor === undefined ? [] : readCursor(cursor, 4);
  const deliveries = Array.from(tx.deliveries.walk("due"), ({ id, next_attempt_at = "" }): ListedDue => {
    return { at: next_attempt_at, what: "delivery", id, made: AFTER_RECORDS };
  });
  const rows = [...listDue(tx), ...deliveries]
    .sort(compareDue)
    .filter((row) => compareDue(row, { at, what, id, made }) > 0 && (until === undefined || row.at <= until));
  const items = rows.slice(0, limit).map((row) => toView(tx, row));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last ? { items, more: true, next: toCursor(last.at, last.what, last.id, last.made) } : { items, more: false };
}

function toView(tx: Transaction, { at, what: kind, id }: ListedDue): DueView {
  const what = kind as DueView["what"];
  const record = tx[COLLECTIONS[what]].get(id);
  const { title, timezone } = record ? getHead(tx, COLLECTIONS[what], redactRecord(record)) : {};
  const local_time = timezone === undefined ? undefined : toLocal(at, timezone);
  return { at, what, id, ...optional({ title, timezone, local_time }) };
}
