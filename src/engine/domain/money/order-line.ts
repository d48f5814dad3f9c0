// Builds the lines of an order: tickets, add-ons, the fee, a gift card, with their discounts and VAT. Assumptions:
// line-item, money-rounding, booking-fee.

import type { BookingFee, Discount, Experience, Item, Offer, OrderLine } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getRounding, mustBeExact, price, share, sum, takePercent, toRate, toVat } from "./money.ts";

export interface DiscountInput {
  code: string;
  type?: string;
  /** The discount in minor units, over all lines that it applies to. */
  amount?: number;
  percent?: number;
  /** Limits the discount to lines of this variant or add-on. */
  type_id?: string;
}

interface LineInput {
  product_type: "TICKET" | "TICKET_ADDON" | "GIFTCARD" | "BOOKING_FEE";
  product_id: string;
  quantity: number;
  unit: number;
  vat_rate?: string;
  details: OrderLine["details"];
}

/** `unit` is in minor units. `vat` is zero until withVat() has processed all lines of the order. */
export function makeLine(tx: Transaction, currency: string, input: LineInput): OrderLine {
  const { product_type, product_id, quantity, unit, vat_rate, details } = input;
  const gross = mustBeExact(unit * quantity);
  const rounded = getRounding(tx);
  return {
    id: tx.newId(),
    product_type,
    product_id,
    quantity,
    details,
    unit_price: price(unit, currency),
    unit_vat_amount: price(toVat(unit, vat_rate ?? "0", rounded), currency),
    discounts: [],
    ...(vat_rate === undefined ? {} : { vat_rate }),
    gross,
    vat: 0,
    captured: 0,
    refunded: 0,
    recognised: 0,
  };
}

/** Builds the lines of a ticket: its variant and its add-ons. */
export function toLines(
  tx: Transaction,
  experience: Experience,
  offers: ReadonlyMap<string, Offer>,
  { id: ticket_id, items }: { id: string; items: readonly Item[] },
): OrderLine[] {
  return items.map(({ type_id, item_type, quantity }) => {
    // The basket has checked that the offer exists.
    const offer = offers.get(type_id) as Offer;
    const product_type = item_type === "ADDON" ? "TICKET_ADDON" : "TICKET";
    const input = {
      product_type,
      product_id: type_id,
      quantity,
      unit: offer.price.value,
      vat_rate: offer.vat_rate,
      details: { type: product_type, experience_id: experience.id, ticket_id },
    } as const;
    return makeLine(tx, offer.price.currency, input);
  });
}

/** Returns undefined for a line that is not sold with a ticket. */
export const getTicketId = ({ details }: OrderLine): string | undefined =>
  "ticket_id" in details ? details.ticket_id : undefined;

/** Builds the line of the fee. An order has one fee for any number of tickets. */
export function toFeeLine(tx: Transaction, experience: Experience, fee: BookingFee): OrderLine {
  const details = { type: "BOOKING_FEE", experience_id: experience.id } as const;
  const input = { product_type: "BOOKING_FEE", product_id: `fee-${experience.id}`, quantity: 1, details } as const;
  return makeLine(tx, fee.price.currency, { ...input, unit: fee.price.value, vat_rate: fee.vat_rate });
}

/**
 * Splits a discount over the lines it applies to; the fee is never discounted. A percentage applies to what earlier
 * discounts left.
 */
export function applyDiscount(tx: Transaction, lines: readonly OrderLine[], input: DiscountInput): OrderLine[] {
  const isDiscounted = (line: OrderLine) =>
    line.product_type !== "BOOKING_FEE" && (input.type_id === undefined || line.product_id === input.type_id);
  // A line that the discount doesn't apply to has no weight and gets no share.
  const weights = lines.map((line) => (isDiscounted(line) ? line.gross : 0));
  const open = sum(weights);
  const wanted = input.amount ?? takePercent(open, input.percent ?? 0, getRounding(tx));
  // A discount is never more than the lines cost.
  const shares = share(Math.min(wanted, open), weights);
  return lines.map((line, index) => {
    const off = shares[index] ?? 0;
    // A line without a share gets no discount of 0.
    if (off === 0) return line;
    const discount = {
      type: input.type ?? "PROMO_CODE",
      code: input.code,
      amount: { ...line.unit_price, value: off },
    } as Discount;
    return { ...line, discounts: [...line.discounts, discount], gross: line.gross - off };
  });
}

/** Adds the VAT to each line. It is rounded once per group of lines, as the assumptions say, and split over them. */
export function withVat(tx: Transaction, lines: readonly OrderLine[]): OrderLine[] {
  const groups = new Map<string, OrderLine[]>();
  for (const line of lines) {
    const key = getRoundingGroup(tx, line);
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  // The lines are returned in their own order, though they are rounded by groups.
  const vatOf = new Map<string, number>();
  for (const group of groups.values()) {
    const weights = group.map(({ gross }) => gross);
    const vat = toVat(sum(weights), group[0]?.vat_rate ?? "0", getRounding(tx));
    for (const [index, part] of share(vat, weights).entries()) vatOf.set(group[index]?.id ?? "", part);
  }
  return lines.map((line) => ({ ...line, vat: vatOf.get(line.id) ?? 0 }));
}

/** Returns the group for rounding: each line by itself, all lines of a variant, or all lines with one rate. */
function getRoundingGroup(tx: Transaction, line: OrderLine): string {
  if (tx.assumes("money-rounding") === "per-order") return `rate ${toRate(line.vat_rate)}`;
  return tx.assumes("line-item") === "per-variant" ? getProduct(line) : line.id;
}

/** Identifies the product of a line, if lines are merged per variant: one product at one price. */
export function getProduct({ product_id, unit_price, vat_rate }: OrderLine): string {
  return `${product_id} at ${unit_price.value} with ${toRate(vat_rate)}`;
}
