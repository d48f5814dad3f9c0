// A booking as a host or a guest's checkout asks for it, in the words of the rules. Assumption: booking-fee (charged on guest
// checkouts, at the desk only when asked for).
import type { BookingWish } from "../domain/booking.ts";
import type { Desk } from "../domain/desk.ts";
import { checkPrice } from "../domain/experience-wish.ts";
import { optional } from "../domain/optional.ts";
import type { DiscountWish } from "../domain/order-line.ts";
import type { PaymentWish } from "../domain/payment.ts";
import type { BookingFee, ScheduledEvent } from "../domain/records.ts";
import { refuse } from "../domain/refusal.ts";
import type { components } from "../generated/control.ts";
import { minorUnits, minorUnitsPaid } from "./amount.ts";

type Schemas = components["schemas"];
type Input = Omit<Schemas["BookAsHostInput"], "event_id">;

/** `feeByDefault`: whether the experience's fee is charged when nothing is said about it. */
export function bookingWish(desk: Desk, event: ScheduledEvent, input: Input, feeByDefault: boolean): BookingWish {
  const experience = desk.experiences.get(event.experience_id);
  const currency = experience?.ticket_variants[0]?.price.currency ?? "";
  const { payments = [], discounts = [], booking_fee = feeByDefault, skip_answers, ...said } = input;
  return {
    ...said,
    event_id: event.id,
    must_answer: skip_answers !== true,
    ...optional({ fee: feeOf(booking_fee, experience?.booking_fee, currency) }),
    discounts: discounts.map((discount, index) => discountOf(discount, currency, `body.discounts.${index}.amount`)),
    payments: paymentsOf(payments, currency),
  };
}

export function paymentsOf(payments: readonly Schemas["Payment"][], currency: string): PaymentWish[] {
  return payments.map(({ amount, ...payment }, index) =>
    amount === undefined
      ? payment
      : { ...payment, amount: minorUnitsPaid(amount, currency, `body.payments.${index}.amount`) },
  );
}

function discountOf({ amount, ...discount }: Schemas["DiscountInput"], currency: string, place: string): DiscountWish {
  return amount === undefined ? discount : { ...discount, amount: minorUnits(amount, currency, place) };
}

/** `true`: the experience's own; a fee: that one. */
function feeOf(
  asked: Schemas["BookingFeeChoice"],
  own: BookingFee | undefined,
  currency: string,
): BookingFee | undefined {
  if (typeof asked === "boolean") return asked ? own : undefined;
  checkPrice(asked.price, "body.booking_fee.price");
  const given = asked.price.currency;
  if (given !== currency) refuse("CURRENCY_MISMATCH", { given, wanted: currency });
  return asked;
}
