// An order: its lines, its totals, and the payment status that follows from the money. Assumptions: line-item, money-rounding,
// order-number, order-transitions, payment-transitions.

import type { Sheet } from "./basket.ts";
import type { Desk } from "./desk.ts";
import { price, share, sum, timesOver, vatWithin } from "./money.ts";
import type {
  BookingFee,
  Customer,
  Discount,
  Experience,
  Metadata,
  Offer,
  Order,
  OrderLine,
  OrderRefund,
  OrderTransaction,
} from "./records.ts";
import { refuse } from "./refusal.ts";

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
  offers: Map<string, Offer>,
  ticketId: string,
  sheet: Sheet,
): OrderLine[] {
  return sheet.map(({ type_id, item_type, quantity }) => {
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

interface OrderWish {
  origin: Order["origin"];
  customer: Customer;
  currency: string;
  lines: OrderLine[];
  status: "PENDING" | "COMPLETED";
  metadata?: Metadata;
}

/** Makes and keeps an order with no money on it yet. */
export function makeOrder(desk: Desk, { origin, customer, currency, lines, status, metadata }: OrderWish): Order {
  const foreign = lines.find((line) => line.unit_price.currency !== currency);
  if (foreign) refuse("CURRENCY_MISMATCH", { given: foreign.unit_price.currency, wanted: currency });
  const order = settle({
    id: desk.newId(),
    number: String(desk.nextNumber("orders")),
    status,
    payment_status: "UNPAID",
    created_at: desk.now,
    updated_at: desk.now,
    customer,
    origin,
    totals: { discount: price(0, currency), vat_amount: price(0, currency), amount: price(0, currency) },
    ...(metadata ? { metadata } : {}),
    currency,
    line_items: lines,
    transactions: [],
    refunds: [],
  });
  desk.orders.put(order);
  desk.tell("order.created", order.id);
  return order;
}

/** The order with totals and payment status as its lines and money have them. */
export function settle(order: Order): Order {
  const { currency, line_items: lines } = order;
  const totals = {
    discount: price(sum(lines.flatMap((line) => line.discounts.map(({ amount }) => amount.value))), currency),
    vat_amount: price(sum(lines.map((line) => line.vat)), currency),
    amount: price(sum(lines.map((line) => line.gross)), currency),
  };
  return { ...order, totals, payment_status: paymentStatus(totals.amount.value, capturedOf(order), refundedOf(order)) };
}

export function paymentStatus(total: number, captured: number, refunded: number): Order["payment_status"] {
  if (refunded > 0) return refunded >= captured ? "REFUNDED" : "PARTIALLY_REFUNDED";
  if (captured >= total) return "PAID";
  return captured === 0 ? "UNPAID" : "PARTIALLY_PAID";
}

const inMinor = (moves: readonly (OrderTransaction | OrderRefund)[], ...states: string[]) =>
  sum(moves.filter(({ status }) => states.includes(status)).map(({ amount }) => amount.value));

export const capturedOf = (order: Order): number => inMinor(order.transactions, "COMPLETED");
export const refundedOf = (order: Order): number => inMinor(order.refunds, "COMPLETED");

/** What can still be paid; a payment under way counts as taken. */
export function openToPay(order: Order): number {
  return order.totals.amount.value - inMinor(order.transactions, "COMPLETED", "INITIATED");
}

/** What is left of one transaction to pay back; a refund under way counts as gone. */
export function openToRefund(order: Order, transaction: OrderTransaction): number {
  if (transaction.status !== "COMPLETED") return 0;
  const back = order.refunds.filter((refund) => refund.transaction_id === transaction.id);
  return transaction.amount.value - inMinor(back, "COMPLETED", "INITIATED");
}
