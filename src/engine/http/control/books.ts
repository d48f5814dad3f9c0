// The books of a world: entries with their business, the trial balance, and one order as a T-account.

import type { Schemas } from "../../../contract/schemas.ts";
import { runSliced } from "../../../platform/slices.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { getCompanyZone } from "../../domain/catalogue/location.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import type { JournalEntry } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type BookSpan, listEntries, showBookedEntry, showBooks, walkTrialBalance } from "../../domain/money/books.ts";
import { showEntry } from "../../domain/money/order-view.ts";
import { handlersWith, ok, type Requested, readZone } from "./handler.ts";

type BooksQuery = Requested<"readTrialBalance">["query"];

function readSpan(tx: Transaction, { from, to, zone }: BooksQuery): BookSpan {
  if (from && to && to <= from)
    rejectInput("query.to", `${to} is not after ${from}, the first day. Name the day after the last.`);
  // Without a zone, days are those of the company.
  const named = readZone("query.zone", zone) ?? getCompanyZone(tx.company.get("company"));
  return { ...(from && { from }), ...(to && { to }), zone: named };
}

/** As the service shows it, with what an accountant needs besides. */
function showBooked(tx: Transaction, entry: JournalEntry, zone: string): Schemas["BookEntry"] {
  const view = showEntry(tx, entry);
  const { lines, ...booked } = showBookedEntry(tx, entry, zone);
  // By position: views keep the order of the postings.
  return { ...view, ...booked, postings: view.postings.map((each, at) => ({ ...each, lines: lines[at] ?? [] })) };
}

export const books = handlersWith<RequestsPort & TimePort & WorldsPort>()({
  listBookEntries({ application, query, world }) {
    const { limit = 100, order_id, cursor } = query;
    return ok(
      application.read(world, (tx) => {
        const span = readSpan(tx, query);
        const { entries, next } = listEntries(tx, { ...span, order: order_id, after: cursor, limit });
        return { items: entries.map((entry) => showBooked(tx, entry, span.zone)), ...(next && { next }) };
      }),
    );
  },
  async readTrialBalance({ application, query, world }) {
    const span = application.read(world, (tx) => readSpan(tx, query));
    // Of a copy, so the balance is that of one point in time while others are served.
    const balance = application.copy(world).read(application.now(world), (tx) => walkTrialBalance(tx, span));
    return ok(await runSliced(balance));
  },
  readOrderBooks({ application, path, world }) {
    return ok(application.read(world, (tx) => showBooks(tx, path.orderId)));
  },
});
