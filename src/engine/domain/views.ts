// Shows records as the API returns them, without internal fields. Orders and the journal are in money/order-view.ts.
// Assumptions: booking-customer-names, ticket-url.
import type { ServiceSchemas } from "../../contract/schemas.ts";
import { getZone } from "./catalogue/location.ts";
import type * as records from "./kernel/records.ts";
import type { Transaction } from "./kernel/transaction.ts";

export function showBooking(booking: records.Booking): ServiceSchemas["Booking"] {
  const {
    items: _items,
    order_id: _order,
    answers: _answers,
    lapses_at: _lapses,
    pending_tickets: _tickets,
    ...view
  } = booking;
  return view;
}

export function showTicket(tx: Transaction, { id, status, items, check_in }: records.Ticket): ServiceSchemas["Ticket"] {
  return {
    id,
    urls: [{ type: "PDF", url: tx.address(`tickets/${id}.pdf`) }],
    status,
    items,
    ...(check_in ? { check_in } : {}),
  };
}

export function showEvent(event: records.ScheduledEvent): ServiceSchemas["Event"] {
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

export function showLocation(tx: Transaction, location: records.Location): ServiceSchemas["Location"] {
  const { removed_at: _, ...view } = location;
  return { ...view, timezone: getZone(tx, location) };
}

export function showConsent({ created_at: _, ...consent }: records.Consent): ServiceSchemas["MarketingConsent"] {
  return consent;
}

export function showSubscription({
  secret: _,
  previous_secret: _p,
  pinned: _pinned,
  ...view
}: records.Subscription): ServiceSchemas["WebhookSubscription"] {
  return view;
}
