// Why an assumption may stay silent: what traffic would have to have in it; the others can't be seen in traffic at all.
const WOULD_SHOW: Readonly<Record<string, string>> = {
  ids: "a booking or a subscription that is created",
  timestamps: "a record with created_at",
  "unknown-query": "a query parameter that is not documented",
  "unknown-body-field": "a body with a member that is not documented",
  "token-audience": "a token request with another audience, or without one",
  "token-scope-unknown": "a token request with one scope that is granted and one that is not",
  "scope-missing": "a call whose token lacks the scope",
  "other-company": "a read of another company's record by its id; a 404 alone does not tell",
  "language-mismatch": "an Accept-Language that no storefront has",
  "limit-range": "a limit out of its range",
  "list-parameter-repeated": "a list parameter that is given twice",
  "parameter-brackets": "a documented query parameter in brackets, such as status[]",
  "null-member": "a body with a member that is null",
  "empty-text": 'a booking whose customer has an optional text that is ""',
  "booking-create-status": "a booking that is created",
  "booking-customer-required": "a booking without phone",
  "booking-event-unknown": "a booking of an event that does not exist",
  "booking-money": "a booking that is created, and its order",
  "booking-move": "a booking that the host has moved, read afterwards",
  "booking-sort-sign": "listBookings or listOrders with a sort that has no sign",
  "booking-list-window": "listBookings or listOrders with from exactly at created_at of one",
  tickets: "the tickets of a booking of two",
  "step-image": "content blocks with an image",
  "event-sessions": "an event whose sessions overlap; others do not tell",
  "event-query": "listEvents with a limit over 100 where there are more than 100 events",
  "event-window-format": "from or to with an offset, and another with Z",
  "event-transitions": "an INACTIVE event, read after it has ended",
  "event-availability-shape": "the availability of an event with one constraint that fails, and a booking of it",
  "availability-shape": "an availability",
  "order-origin": "the order of a gift card",
  "line-item": "the line items of an order with tickets",
  "refund-of-integration": "a booking that is created, then cancelled by the host, and its order",
  "money-rounding": "an order whose VAT, rounded once, differs from that of its lines, and its line items",
  "refund-to-card": "a gift card that is spent, then credited, read before and after",
  "booking-fee": "the order and the line items of a booking with a fee; after its refund, the refunds too",
  "gift-card-extend-body": "a gift card whose expiry is extended",
  "gift-card-expired": "a gift card that has expired",
  "gift-card-given": "a card that was given away and has expired, and its journal entries",
  "posting-fields": "a journal entry",
  "posting-vat-rate": "a journal entry with VAT",
  "journal-documents": "the journal entry of a sale, minutes later",
  "subscription-conflict": "a second subscription for the same url and kind",
  "signature-text": "a webhook, recorded where it is received",
  "signature-key": "a webhook, and the answer that created its subscription",
  "delivery-success": "a webhook that is answered 204 and comes again; one that does not come again tells nothing",
  "webhook-timestamp": "a webhook of a service whose clock is not ours",
  "move-kinds": "the webhooks of a booking that the host has moved, and a read of it",
  "capacity-kind": "an event, read before and after a booking of it",
  "no-op-update": "a subscription that is replaced by what it is",
  "preview-production": "a preview operation, called in production",
};

/** Alternatives that do not show in what an integrator sends and gets. */
export const NEVER_SEEN: Readonly<Record<string, string>> = {
  "cancel-keeps-money=at-event-end":
    "when kept money is recognised can't be told from the refund that an integration pays itself",
  "money-rounding=half-even": "percentages of discounts are not shown, and the VAT rates in use never end in a half",
};

/** One sentence for a question that nothing in the traffic answers. */
export function unseen(id: string): string {
  const wanted = WOULD_SHOW[id];
  if (wanted) return `Nothing shows it. Record ${wanted}.`;
  const why = Object.entries(NEVER_SEEN).find(([flip]) => flip.startsWith(`${id}=`))?.[1];
  return why ? `Traffic does not tell: ${why}.` : "It has no other answer in the register, and nothing is looked for.";
}
