// Money comes in for an order, or a payment under way ends. Assumption: transaction.
import { endPayment, pay } from "../domain/money/payment.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";
import { orderAnswer } from "./answers.ts";
import { mustBeAlone, orderCalled } from "./named.ts";

export const payOrder = act("payOrder", (tx, { order_id, transaction_id, amount, ...input }) => {
  const order = orderCalled(tx, order_id);
  if (transaction_id !== undefined) {
    const { status = "COMPLETED", ...others } = input;
    mustBeAlone("transaction_id", { amount, ...others });
    return orderAnswer(tx, endPayment(tx, order, transaction_id, status));
  }
  if (amount === undefined) return orderAnswer(tx, pay(tx, order, input));
  const minor = minorUnitsPaid(amount, order.currency, "body.amount");
  return orderAnswer(tx, pay(tx, order, { ...input, amount: minor }));
});
