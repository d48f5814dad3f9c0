// Money comes in for an order, or a payment under way ends. Assumption: transaction.
import { endPayment, pay } from "../domain/payment.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";
import { orderAnswer } from "./answers.ts";
import { orderCalled } from "./named.ts";

export const payOrder = act("payOrder", (desk, { order_id, transaction_id, amount, ...wish }) => {
  const order = orderCalled(desk, order_id);
  if (transaction_id !== undefined) {
    return orderAnswer(endPayment(desk, order, transaction_id, wish.status ?? "COMPLETED"));
  }
  if (amount === undefined) return orderAnswer(pay(desk, order, wish));
  return orderAnswer(pay(desk, order, { ...wish, amount: minorUnitsPaid(amount, order.currency, "body.amount") }));
});
