// Turns the input of a host's booking or of a guest's checkout into what the booking rule takes. Assumption: booking-fee (charged
// on guest checkouts; on a host's booking only where the input says so).

import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import type { BookingInput } from "../domain/booking/booking.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { BookingFee, ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { mustBeMoney } from "../domain/money/currency.ts";
import type { DiscountInput } from "../domain/money/order-line.ts";
import type { PaymentInput } from "../domain/money/payment.ts";
import { toMinor, toMinorPaid } from "./fields.ts";

type BookingActInput = Omit<Schemas["BookAsHostInput"], "event_id">;

/** `feeByDefault`: whether the experience's fee is charged when the input has no `booking_fee`. */
export function toBookingInput(
  tx: Transaction,
  event: ScheduledEvent,
  input: BookingActInput,
  feeByDefault: boolean,
): BookingInput {
  const experience = tx.experiences.get(event.experience_id);
  const currency = experience?.ticket_variants[0]?.price.currency ?? "";
  const { payments = [], discounts = [], booking_fee = feeByDefault, skip_answers, ...rest } = input;
  return {
    ...rest,
    event_id: event.id,
    must_answer: skip_answers !== true,
    ...optional({ fee: toFee(booking_fee, experience?.booking_fee, currency) }),
    discounts: discounts.map((discount, index) => toDiscount(discount, currency, `body.discounts.${index}.amount`)),
    payments: toPayments(payments, currency),
  };
}

export function toPayments(payments: readonly Schemas["Payment"][], currency: string): PaymentInput[] {
  return payments.map(({ amount, ...payment }, index) =>
    amount === undefined
      ? payment
      : { ...payment, amount: toMinorPaid(amount, currency, `body.payments.${index}.amount`) },
  );
}

function toDiscount({ amount, ...discount }: Schemas["DiscountInput"], currency: string, path: string): DiscountInput {
  return amount === undefined ? discount : { ...discount, amount: toMinor(amount, currency, path) };
}

/** `true` charges the experience's own fee; an object is the fee to charge. */
function toFee(
  choice: Schemas["BookingFeeChoice"],
  own: BookingFee | undefined,
  currency: string,
): BookingFee | undefined {
  if (typeof choice === "boolean") return choice ? own : undefined;
  mustBeMoney(choice.price, "body.booking_fee.price");
  const given = choice.price.currency;
  if (given !== currency) reject("CURRENCY_MISMATCH", { given, wanted: currency });
  return choice;
}
