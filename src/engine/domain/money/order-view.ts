// Shows orders and the journal as the API returns them, without internal fields and in the form that the assumptions choose.
// Assumptions: line-item, order-origin, journal-fields, posting-fields, posting-vat-rate.
import type { ServiceSchemas } from "../../../contract/schemas.ts";
import type * as records from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum, toPercent } from "./money.ts";
import { getProduct } from "./order-line.ts";

/** Shows an order without lines, payments and refunds, which have addresses of their own. */
export function showOrder(tx: Transaction, order: records.Order): ServiceSchemas["Order"] {
  const { currency: _c, line_items: _i, transactions: _t, refunds: _r, earned_at: _e, ...rest } = order;
  const { left_to_integration: _l, ...view } = rest;
  // The specification spells GIFTCARD in two ways (assumption: order-origin).
  const underscored = order.origin.type === "GIFTCARD" && tx.assumes("order-origin") === "GIFT_CARD";
  return underscored ? { ...view, origin: { ...order.origin, type: "GIFT_CARD" as "GIFTCARD" } } : view;
}

/** Shows one line for each ticket, or one for each variant (assumption: line-item). */
export function showLines(tx: Transaction, { line_items }: records.Order): ServiceSchemas["LineItem"][] {
  if (tx.assumes("line-item") !== "per-variant") return line_items.map(showLine);
  const products = new Map<string, records.OrderLine[]>();
  for (const line of line_items) products.set(getProduct(line), [...(products.get(getProduct(line)) ?? []), line]);
  return [...products.values()].map(mergeLines);
}

function showLine(line: records.OrderLine): ServiceSchemas["LineItem"] {
  const { vat_rate: _v, gross: _g, vat: _a, captured: _c, refunded: _r, recognised: _n, ...view } = line;
  return view;
}

/** Merges all units of a product into one line, which belongs to no single ticket. */
function mergeLines(lines: readonly records.OrderLine[]): ServiceSchemas["LineItem"] {
  const { details, ...first } = showLine(lines[0] as records.OrderLine);
  const { ticket_id: _, ...ofAll } = { ticket_id: undefined, ...details };
  const discounts = new Map<string, ServiceSchemas["Discount"]>();
  for (const discount of lines.flatMap((line) => line.discounts)) {
    const key = `${discount.type} ${discount.code}`;
    const value = (discounts.get(key)?.amount.value ?? 0) + discount.amount.value;
    discounts.set(key, { ...discount, amount: { ...discount.amount, value } });
  }
  const quantity = sum(lines.map((line) => line.quantity));
  return {
    ...first,
    quantity,
    details: ofAll as ServiceSchemas["LineItem"]["details"],
    discounts: [...discounts.values()],
  };
}

/** Shows a refund without `shares`, its split over the lines, which no response contains. */
export function showRefund({ shares: _, ...refund }: records.OrderRefund): ServiceSchemas["Refund"] {
  return refund;
}

/** Shows an entry. Its documents get their addresses here, because the base may differ at the next start. */
export function showEntry(
  tx: Transaction,
  { document_due_at: _d, cause: _c, parts: _p, ...entry }: records.JournalEntry,
): ServiceSchemas["JournalEntry"] {
  const documents = entry.documents.map((document) => ({
    ...document,
    url: tx.address(`documents/${document.id}.pdf`),
  }));
  return { ...entry, documents, postings: entry.postings.map((posting) => showPosting(tx, posting)) };
}

function showPosting(tx: Transaction, posting: records.Posting): records.Posting {
  const form = tx.assumes("posting-vat-rate");
  const rated = form === "number" || form === "percent" ? withRate(posting, form) : posting;
  return tx.assumes("posting-fields") === "signed" ? toSigned(rated) : rated;
}

function withRate(posting: records.Posting, form: "number" | "percent"): records.Posting {
  if (posting.vat_rate === undefined) return posting;
  const view = form === "number" ? Number(posting.vat_rate) : toPercent(posting.vat_rate);
  // The other values of the assumption break the schema on purpose.
  return { ...posting, vat_rate: view as string };
}

/** Shows a credit as a negative amount. */
function toSigned({ direction, ...posting }: records.Posting): records.Posting {
  const value = direction === "CREDIT" ? -posting.amount.value : posting.amount.value;
  return { ...posting, amount: { ...posting.amount, value } } as records.Posting;
}
