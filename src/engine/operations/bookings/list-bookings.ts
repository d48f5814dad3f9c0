// GET /v1/bookings. Heading "Bookings"; assumptions: booking-list-window, booking-sort-sign, booking-sort-ties.

import { joinKeys, toPrefixEnd } from "../../domain/kernel/index-keys.ts";
import type { Booking } from "../../domain/kernel/records.ts";
import type { Transaction, Walk } from "../../domain/kernel/transaction.ts";
import { showBooking } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { type PagePosition, page } from "../paging.ts";
import { readOrder, readSpan, type TimeRange } from "../time-range.ts";

export const listBookings = read("listBookings", (tx, { query }) => {
  const { by, descending } = readOrder(query.sort);
  const span = readSpan(query, tx.assumes("booking-list-window") === "from-exclusive");
  return page(tx, {
    list: "listBookings",
    query,
    keyOf: (booking: Booking) => booking[by],
    behind: (past) => walkBookings(tx, { by, descending, statuses: query.status ?? [], past, ...span }),
    show: showBooking,
    showsOnlyRecords: true,
  });
});

interface BookingQuery extends TimeRange {
  by: "created_at" | "updated_at";
  descending: boolean;
  statuses: readonly string[];
  past: PagePosition | undefined;
}

/** Walks the bookings of the window on created_at. In the order of updated_at, the window is only a filter. */
function* walkBookings(
  tx: Transaction,
  { by, descending, statuses, past, from, until, holds }: BookingQuery,
): Generator<Booking> {
  const bounds = by === "created_at" ? { from, until } : { from: "", until: "\uffff" };
  const walk = (
    index: "created" | "updated" | "statusCreated" | "statusUpdated",
    prefix: (key: string) => string,
    end: string,
  ) =>
    tx.bookings.walk(index, {
      from: prefix(bounds.from),
      until: bounds.until === "\uffff" ? end : prefix(bounds.until),
      ...(past ? { past: { key: prefix(past.key), id: past.id } } : {}),
      descending,
    } satisfies Walk);
  // A duplicate status must not return its bookings twice.
  const wanted = [...new Set(statuses)];
  const walks =
    wanted.length === 0
      ? [walk(by === "created_at" ? "created" : "updated", (key) => key, "\uffff")]
      : wanted.map((status) =>
          walk(
            by === "created_at" ? "statusCreated" : "statusUpdated",
            (key) => joinKeys(status, key),
            toPrefixEnd(status),
          ),
        );
  const [only] = walks;
  // A single walk, the common case, needs no merging.
  const all = only && walks.length === 1 ? only : merge(walks, by, descending);
  for (const booking of all) if (holds(booking.created_at)) yield booking;
}

/** Merges several ordered walks. */
function* merge(walks: Iterable<Booking>[], by: "created_at" | "updated_at", descending: boolean): Generator<Booking> {
  const toPosition = (booking: Booking) => `${booking[by]}\u0000${booking.id}`;
  const heads = walks.map((walk) => walk[Symbol.iterator]()).map((source) => ({ source, next: source.next() }));
  for (;;) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (!best || best.next.done || toPosition(head.next.value) < toPosition(best.next.value) !== descending)
        best = head;
    }
    if (!best || best.next.done) return;
    yield best.next.value;
    best.next = best.source.next();
  }
}
