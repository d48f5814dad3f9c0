// What a receipt or a credit note says, line by line, so that a bookkeeper can enter it: who, what for, how much, and the VAT of it
// by rate; times where the company is. Assumption: journal-documents.

import { amountText } from "../../../platform/amount-text.ts";
import { offersOf } from "../booking/basket.ts";
import { inLanguage, languagesOf } from "../catalogue/language.ts";
import { zoneOfCompany } from "../catalogue/location.ts";
import { instantToLocal } from "../kernel/instant.ts";
import type { Customer, JournalEntry, Order, OrderLine, Posting } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { linesBehind } from "./books.ts";
import { inPercent, roundingOf, sum, vatWithin } from "./money.ts";
import { productOf } from "./order-line.ts";

const TITLES = { RECEIPT: "Receipt", CREDIT_NOTE: "Credit note" } as const;

/** The text of its PDF. An entry without an order (a card that was given) shows its postings only. */
export function receiptLines(tx: Transaction, entry: JournalEntry, documentId: string): string[] {
  const document = entry.documents.find(({ id }) => id === documentId);
  const company = tx.company.get("company");
  const order = entry.order_id === undefined ? undefined : tx.orders.get(entry.order_id);
  const zone = zoneOfCompany(company);
  return [
    `${TITLES[document?.type ?? "RECEIPT"]} ${entry.number}`,
    company?.name ?? "",
    `${instantToLocal(entry.occurred_at, zone).slice(0, 16).replace("T", " ")} ${zone}`,
    "",
    ...(order ? [`Order ${order.number}`, ...customerLines(order.customer), "", ...boughtOn(tx, order), ""] : []),
    ...entry.postings.map((posting) => postingLine(tx, posting, order && vatOf(order, entry, posting))),
    "",
    `Document ${documentId}, journal entry ${entry.number} (${entry.kind})`,
    "Made by experience-sandbox; not a real document.",
  ];
}

function customerLines({ company_name, name, vat_number, email, address }: Customer): string[] {
  const at = address && [...address.address_lines, `${address.zip_code} ${address.city}`, address.country].join(", ");
  // A company whose contact has its name is written once.
  const named = company_name === undefined || company_name === name ? [name] : [company_name, name];
  return [...named, ...(vat_number ? [`VAT number ${vat_number}`] : []), ...(at ? [at] : []), email];
}

/** A page has no room for more. */
const MOST_PRODUCTS = 12;

/** Everything that the order is for, whatever part of it the money was. */
function boughtOn(tx: Transaction, order: Order): string[] {
  const products = [...new Set(order.line_items.map(productOf))].map((product) =>
    order.line_items.filter((line) => productOf(line) === product),
  );
  const rest = products.length - MOST_PRODUCTS;
  const off = order.totals.discount.value > 0 ? [`Discount: ${amountText(order.totals.discount)}`] : [];
  return [
    ...products.slice(0, MOST_PRODUCTS).map((lines) => soldLine(tx, lines)),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...off,
    `Total of the order: ${amountText(order.totals.amount)}, VAT ${amountText(order.totals.vat_amount)}`,
  ];
}

function soldLine(tx: Transaction, lines: readonly OrderLine[]): string {
  const line = lines[0] as OrderLine;
  return `${sum(lines.map(({ quantity }) => quantity))} x ${nameOf(tx, line)}, ${amountText(line.unit_price)} each`;
}

function nameOf(tx: Transaction, { product_id, details }: OrderLine): string {
  if (details.type === "BOOKING_FEE") return "Booking fee";
  if (details.type === "GIFTCARD") return "Gift card";
  const experience = tx.experiences.get(details.experience_id);
  const name = experience && offersOf(experience).get(product_id)?.name;
  const storefront = languagesOf(tx);
  return name ? inLanguage(name, storefront[0] ?? "en", storefront) : product_id;
}

const ACCOUNTS: Partial<Record<Posting["type"], string>> = {
  BOOKING_PREPAYMENT: "Tickets and add-ons",
  BOOKING_FEE_REVENUE: "Booking fee",
  GIFT_CARD_LIABILITY: "Gift card",
  PAYMENT: "Payment",
  SETTLEMENT: "Settled with another order",
};

/** As the lines of the order have it, which may be rounded otherwise than their sum; undefined for entries of earlier versions. */
function vatOf(order: Order, entry: JournalEntry, posting: Posting): number | undefined {
  const lines = linesBehind(order, entry, posting);
  return lines.length === 0 ? undefined : sum(lines.map(({ vat }) => vat?.value ?? 0));
}

function postingLine(tx: Transaction, { type, amount, vat_rate }: Posting, vat?: number): string {
  const line = `${ACCOUNTS[type] ?? type}: ${amountText(amount)}`;
  if (vat_rate === undefined) return line;
  const value = vat ?? vatWithin(amount.value, vat_rate, roundingOf(tx));
  return `${line}, of which VAT ${inPercent(vat_rate)} % ${amountText({ ...amount, value })}`;
}
