// The lines of an order: tickets, add-ons, the fee, a gift card, and what discounts take off them. Assumptions: line-item,
// money-rounding, booking-fee.
import type { Desk } from "./desk.ts";
import { price, share, sum, timesOver, vatWithin } from "./money.ts";
import type { BookingFee, Discount, Experience, Item, Offer, OrderLine } from "./records.ts";

export interface DiscountWish {
  code: string;
  type?: string;
  /** Minor units off the lines it applies to. */
  amount?: number;
  percent?: number;
  /** Only lines of this variant or add-on. */
  type_id?: string;
}

interface LineWish {
  product_type: "TICKET" | "TICKET_ADDON" | "GIFTCARD" | "BOOKING_FEE";
  product_id: string;
  quantity: number;
  unit: number;
  vat_rate?: string;
  details: OrderLine["details"];
}

export function makeLine(desk: Desk, currency: string, wish: LineWish): OrderLine {
  const { unit, vat_rate, ...named } = wish;
  const gross = unit * wish.quantity;
  return {
    id: desk.newId(),
    ...named,
    unit_price: price(unit, currency),
    unit_vat_amount: price(vat_rate ? vatWithin(unit, vat_rate) : 0, currency),
    discounts: [],
    ...(vat_rate === undefined ? {} : { vat_rate }),
    gross,
    vat: vat_rate ? vatWithin(gross, vat_rate) : 0,
    captured: 0,
    refunded: 0,
    recognised: 0,
  };
}

/** The lines of a ticket: its variant, and its add-ons. */
export function ticketLines(
  desk: Desk,
  experience: Experience,
  offers: ReadonlyMap<string, Offer>,
  ticketId: string,
  items: readonly Item[],
): OrderLine[] {
  return items.map(({ type_id, item_type, quantity }) => {
    const offer = offers.get(type_id) as Offer;
    const product_type = item_type === "ADDON" ? "TICKET_ADDON" : "TICKET";
    const details = { type: product_type, experience_id: experience.id, ticket_id: ticketId } as OrderLine["details"];
    const wish = {
      product_type,
      product_id: type_id,
      quantity,
      unit: offer.price.value,
      vat_rate: offer.vat_rate,
      details,
    } as const;
    return makeLine(desk, offer.price.currency, wish);
  });
}

export function feeLine(desk: Desk, experience: Experience, fee: BookingFee): OrderLine {
  const details = { type: "BOOKING_FEE", experience_id: experience.id } as OrderLine["details"];
  const wish = { product_type: "BOOKING_FEE", product_id: `fee-${experience.id}`, quantity: 1, details } as const;
  return makeLine(desk, fee.price.currency, { ...wish, unit: fee.price.value, vat_rate: fee.vat_rate });
}

/** Cuts a discount over the lines it applies to; the fee is never discounted. */
export function discounted(lines: readonly OrderLine[], wish: DiscountWish): OrderLine[] {
  const takes = (line: OrderLine) =>
    line.product_type !== "BOOKING_FEE" && (wish.type_id === undefined || line.product_id === wish.type_id);
  const weights = lines.map((line) => (takes(line) ? line.gross : 0));
  const open = sum(weights);
  const wanted = wish.amount ?? timesOver(open, Math.round((wish.percent ?? 0) * 100), 10_000);
  const shares = share(Math.min(wanted, open), weights);
  return lines.map((line, index) => {
    const off = shares[index] ?? 0;
    if (off === 0) return line;
    const discount = {
      type: wish.type ?? "PROMO_CODE",
      code: wish.code,
      amount: { ...line.unit_price, value: off },
    } as Discount;
    const gross = line.gross - off;
    return {
      ...line,
      discounts: [...line.discounts, discount],
      gross,
      vat: line.vat_rate ? vatWithin(gross, line.vat_rate) : 0,
    };
  });
}
