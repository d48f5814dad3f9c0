// Money comes in for an order, or a payment under way ends. Assumption: transaction.
import { endPayment, pay } from "../domain/payment.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";
import { orderAnswer } from "./answers.ts";
import { mustBeAlone, orderCalled } from "./named.ts";

export const payOrder = act("payOrder", (desk, { order_id, transaction_id, amount, ...wish }) => {
  const order = orderCalled(desk, order_id);
  if (transaction_id !== undefined) {
    const { status = "COMPLETED", ...others } = wish;
    mustBeAlone("transaction_id", { amount, ...others });
    return orderAnswer(desk, endPayment(desk, order, transaction_id, status));
  }
  if (amount === undefined) return orderAnswer(desk, pay(desk, order, wish));
  const minor = minorUnitsPaid(amount, order.currency, "body.amount");
  return orderAnswer(desk, pay(desk, order, { ...wish, amount: minor }));
});
