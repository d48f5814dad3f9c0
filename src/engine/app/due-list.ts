// What falls due in a world, page by page and in the order in which a move of the clock does it: the records, and at one instant after
// them the deliveries. Read from indexes, so that a page costs the same however much is due.

import type { Schemas } from "../../contract/schemas.ts";
import { endOf } from "../domain/kernel/index-keys.ts";
import { type Instant, instantToLocal } from "../domain/kernel/instant.ts";
import { type CollectionName, headOf } from "../domain/kernel/record-kinds.ts";
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { redactRecord } from "../log/redact.ts";
import { allDue, type Due } from "../time/due.ts";
import type { PageQuery } from "./application.ts";
import { readCursor } from "./records.ts";

type List = Schemas["DueList"];
type DueItem = Schemas["Due"];
type DueListRow = { at: Instant; what: Due["what"] | "delivery"; id: string; made: string };

/** `until` is included. `next` is the cursor of the page after, where there is one. */
export function dueList(tx: Transaction, { until, cursor, limit }: PageQuery & { until?: Instant | undefined }): List {
  const items: List["items"] = [];
  let last: DueListRow | undefined;
  for (const row of rowsBehind(tx, cursor === undefined ? undefined : positionIn(cursor))) {
    if (until !== undefined && row.at > until) break;
    if (last && items.length === limit) return { items, more: true, next: cursorOf(last) };
    items.push(rowView(tx, row));
    last = row;
  }
  return { items, more: false };
}

/** Whose record is due. */
const COLLECTIONS = {
  eventCompleted: "events",
  giftCardExpired: "giftCards",
  documentAttached: "entries",
  checkoutLapsed: "bookings",
  delivery: "deliveries",
} as const satisfies Record<DueItem["what"], CollectionName>;

function rowView(tx: Transaction, { at, what: kind, id }: DueListRow): DueItem {
  const what = kind as DueItem["what"];
  const record = tx[COLLECTIONS[what]].get(id);
  // It may have gone since the page was asked for.
  const { title, timezone } = record ? headOf(tx, COLLECTIONS[what], redactRecord(record)) : {};
  return {
    ...{ at, what, id, ...(title ? { title } : {}) },
    ...(timezone ? { timezone, local_time: instantToLocal(at, timezone) } : {}),
  };
}

/** Both lists are in order, so they are merged as they are read. */
function* rowsBehind(tx: Transaction, behind: DueListRow | undefined): Generator<DueListRow> {
  const records = allDue(tx, behind && recordBehind(behind));
  const deliveries = deliveriesBehind(tx, behind);
  let [record, delivery] = [records.next(), deliveries.next()];
  while (!record.done || !delivery.done) {
    // At one instant records come first: they may cause deliveries.
    if (!record.done && (delivery.done || record.value.at <= (delivery.value.next_attempt_at ?? ""))) {
      yield record.value;
      record = records.next();
    } else if (!delivery.done) {
      const { id, next_attempt_at: at = "" } = delivery.value;
      yield { at, what: "delivery", id, made: "" };
      delivery = deliveries.next();
    }
  }
}

/** Behind a delivery come the records of later instants. */
function recordBehind({ what, at, id, made }: DueListRow): Due {
  return what === "delivery" ? { at: endOf(at), what: "checkoutLapsed", id: "", made: "" } : { what, at, id, made };
}

function* deliveriesBehind(tx: Transaction, behind: DueListRow | undefined): Generator<Delivery> {
  const bounds = behind?.what === "delivery" ? { past: { key: behind.at, id: behind.id } } : { from: behind?.at ?? "" };
  yield* tx.deliveries.walk("due", bounds);
}

const cursorOf = ({ at, what, id, made }: DueListRow): string =>
  Buffer.from(JSON.stringify([at, what, id, made])).toString("base64url");

function positionIn(cursor: string): DueListRow {
  const [at = "", what, id = "", made = ""] = readCursor(cursor, 4);
  return { at, what: what as DueListRow["what"], id, made };
}
