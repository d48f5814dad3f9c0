// A booking as a host or a guest's checkout asks for it, in the words of the rules. Assumption: booking-fee (charged on guest
// checkouts, by the host only when asked for).
import type { BookingInput } from "../domain/booking/booking.ts";
import { checkPrice } from "../domain/catalogue/experience-input.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { optional } from "../domain/kernel/optional.ts";
import type { BookingFee, ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { DiscountInput } from "../domain/money/order-line.ts";
import type { PaymentInput } from "../domain/money/payment.ts";
import type { components } from "../generated/control.ts";
import { minorUnits, minorUnitsPaid } from "./amount.ts";

type Schemas = components["schemas"];
type Input = Omit<Schemas["BookAsHostInput"], "event_id">;

/** `feeByDefault`: whether the experience's fee is charged when nothing is said about it. */
export function bookingInput(
  tx: Transaction,
  event: ScheduledEvent,
  input: Input,
  feeByDefault: boolean,
): BookingInput {
  const experience = tx.experiences.get(event.experience_id);
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

export function paymentsOf(payments: readonly Schemas["Payment"][], currency: string): PaymentInput[] {
  return payments.map(({ amount, ...payment }, index) =>
    amount === undefined
      ? payment
      : { ...payment, amount: minorUnitsPaid(amount, currency, `body.payments.${index}.amount`) },
  );
}

function discountOf({ amount, ...discount }: Schemas["DiscountInput"], currency: string, place: string): DiscountInput {
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
  if (given !== currency) reject("CURRENCY_MISMATCH", { given, wanted: currency });
  return asked;
}
