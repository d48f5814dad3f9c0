// Shows the books of a world: entries with their bookings, the trial balance, and one order as a T-account.

import type { Schemas } from "../../../contract/schemas.ts";
import { runSliced } from "../../../platform/slices.ts";
import { getCompanyZone } from "../../domain/catalogue/location.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import type { JournalEntry } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type BookSpan, listEntries, showBookedEntry, showLedger, walkTrialBalance } from "../../domain/money/books.ts";
import { showEntry } from "../../domain/money/order-view.ts";
import { defineHandlers, ok, type Requested, readZone } from "./handler.ts";

type BooksQuery = Requested<"readTrialBalance">["query"];

function readSpan(tx: Transaction, { from, to, zone }: BooksQuery): BookSpan {
  if (from && to && to <= from)
    rejectInput("query.to", `${to} is not after ${from}, the first day. Name the day after the last.`);
  // The default zone is that of the company.
  const named = readZone("query.zone", zone) ?? getCompanyZone(tx.company.get("company"));
  return { ...(from && { from }), ...(to && { to }), zone: named };
}

/** Shows an entry as the service does, with additional fields for accountants. */
function showBooked(tx: Transaction, entry: JournalEntry, zone: string): Schemas["BookEntry"] {
  const view = showEntry(tx, entry);
  const { lines, ...booked } = showBookedEntry(tx, entry, zone);
  // Views keep the order of the postings, so lines are assigned by position.
  return { ...view, ...booked, postings: view.postings.map((each, at) => ({ ...each, lines: lines[at] ?? [] })) };
}

export const books = defineHandlers({
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
    // The balance is read from a copy, so it is of one point in time while other requests are served.
    const balance = application.copy(world).read(application.now(world), (tx) => walkTrialBalance(tx, span));
    return ok(await runSliced(balance));
  },
  readOrderBooks({ application, path, world }) {
    return ok(application.read(world, (tx) => showLedger(tx, path.orderId)));
  },
});
