// A booking as a host or a guest's checkout asks for it. Assumption: booking-fee (charged on guest checkouts).
import { type BookingWish } from "../domain/booking.ts";
import { type CustomerWish } from "../domain/customer.ts";
import { optional } from "../domain/optional.ts";
import type { Desk } from "../domain/desk.ts";
import type { DiscountWish } from "../domain/order-line.ts";
import type { PaymentWish } from "../domain/payment.ts";
import type { BookingFee, Item, Metadata, ScheduledEvent } from "../domain/records.ts";
import { type Amount, minorUnits } from "./amount.ts";

type Payment = Omit<PaymentWish, "amount"> & { amount?: Amount };

interface Input {
  id?: string;
  event_id: string;
  customer: object;
  locale?: string;
  items: readonly object[];
  payments?: readonly object[];
  discounts?: readonly object[];
  booking_fee?: unknown;
  answers?: readonly object[];
  source?: string;
  internal_note?: string;
  metadata?: Metadata;
}

export function wishOf(desk: Desk, event: ScheduledEvent, input: Input, guest: boolean): BookingWish {
  const experience = desk.experiences.get(event.experience_id);
  const currency = experience?.ticket_variants[0]?.price.currency ?? "";
  const { customer, items, payments, discounts, booking_fee, answers, ...said } = input;
  const fee = feeOf(booking_fee ?? guest, experience?.booking_fee);
  return {
    event_id: event.id,
    ...optional(said),
    customer: { customer_type: "PRIVATE", ...customer } as CustomerWish,
    items: items as Item[],
    ...optional({ fee, answers: answers as BookingWish["answers"] }),
    discounts: (discounts ?? []).map((discount, index) => discountOf(discount as never, currency, index)),
    payments: paymentsOf(payments ?? [], currency),
  };
}

export function paymentsOf(payments: readonly object[], currency: string): PaymentWish[] {
  return payments.map((payment, index) => {
    const { amount, ...wish } = payment as Payment;
    return amount === undefined ? wish : { ...wish, amount: minorUnits(amount, currency, `body.payments.${index}.amount`) };
  });
}

function discountOf(discount: Omit<DiscountWish, "amount"> & { amount?: Amount }, currency: string, index: number): DiscountWish {
  const { amount, ...wish } = discount;
  return amount === undefined ? wish : { ...wish, amount: minorUnits(amount, currency, `body.discounts.${index}.amount`) };
}

/** `true`: the experience's own; a fee: that one. */
function feeOf(asked: unknown, own: BookingFee | undefined): BookingFee | undefined {
  if (asked === true) return own;
  return typeof asked === "object" && asked !== null ? (asked as BookingFee) : undefined;
}
