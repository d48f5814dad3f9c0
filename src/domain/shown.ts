// What of a record the public sees: the schemas of the specification, with what is ours left out.
// Assumptions: booking-customer-names, ticket-url, journal-fields, posting-fields.
import type { components } from "../generated/api.ts";
import type { Desk } from "./desk.ts";
import { zoneOf } from "./location.ts";
import type * as records from "./records.ts";

type Schemas = components["schemas"];

export function showBooking(booking: records.Booking): Schemas["Booking"] {
  const {
    items: _items,
    order_id: _order,
    answers: _answers,
    lapses_at: _lapses,
    pending_tickets: _tickets,
    ...shown
  } = booking;
  return shown;
}

export function showTicket(desk: Desk, { id, status, items, check_in }: records.Ticket): Schemas["Ticket"] {
  return {
    id,
    urls: [{ type: "PDF", url: desk.address(`tickets/${id}.pdf`) }],
    status,
    items,
    ...(check_in ? { check_in } : {}),
  };
}

export function showEvent(event: records.ScheduledEvent): Schemas["Event"] {
  const { id, state, visibility, experience_id, capacity, created_at, updated_at, metadata } = event;
  const sessions = event.sessions.map(({ starts_at: _start, ends_at: _end, ...session }) => session);
  return {
    id,
    state,
    visibility,
    experience_id,
    capacity,
    sessions,
    created_at,
    updated_at,
    ...(metadata ? { metadata } : {}),
  };
}

export function showLocation(desk: Desk, location: records.Location): Schemas["Location"] {
  const { removed_at: _, ...shown } = location;
  return { ...shown, timezone: zoneOf(desk, location) };
}

export function showOrder(order: records.Order): Schemas["Order"] {
  const { currency: _c, line_items: _l, transactions: _t, refunds: _r, earned_at: _e, ...shown } = order;
  return shown;
}

export function showLine(line: records.OrderLine): Schemas["LineItem"] {
  const { vat_rate: _v, gross: _g, vat: _a, captured: _c, refunded: _r, recognised: _n, ...shown } = line;
  return shown;
}

export function showRefund({ shares: _, ...refund }: records.OrderRefund): Schemas["Refund"] {
  return refund;
}

export function showConsent({ created_at: _, ...consent }: records.Consent): Schemas["MarketingConsent"] {
  return consent;
}

export function showEntry(desk: Desk, { document_due_at: _, ...entry }: records.JournalEntry): Schemas["JournalEntry"] {
  const documents = entry.documents.map((document) => ({
    ...document,
    url: desk.address(`documents/${document.id}.pdf`),
  }));
  const postings = desk.assumes("posting-fields") === "signed" ? entry.postings.map(signed) : entry.postings;
  return { ...entry, documents, postings };
}

/** A credit as a negative amount (the other answer to posting-fields). */
function signed({ direction, ...posting }: records.Posting): records.Posting {
  const value = direction === "CREDIT" ? -posting.amount.value : posting.amount.value;
  return { ...posting, amount: { ...posting.amount, value } } as records.Posting;
}

export function showSubscription({
  secret: _,
  previous_secret: _p,
  ...shown
}: records.Subscription): Schemas["WebhookSubscription"] {
  return shown;
}
