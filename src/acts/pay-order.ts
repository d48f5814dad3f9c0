// Money comes in for an order, or a payment under way ends. Assumption: transaction.
import { found } from "../domain/refusal.ts";
import { endPayment, pay } from "../domain/payment.ts";
import { minorUnits } from "./amount.ts";
import { showMoney } from "./named.ts";
import { act } from "./act.ts";

export const payOrder = act("payOrder", (desk, { order_id, transaction_id, amount, ...wish }) => {
  const order = found(desk.orders.get(order_id), "order", order_id);
  if (transaction_id !== undefined) return showMoney(endPayment(desk, order, transaction_id, wish.status ?? "COMPLETED"));
  const minor = amount === undefined ? {} : { amount: minorUnits(amount, order.currency, "body.amount") };
  return showMoney(pay(desk, order, { ...wish, ...minor }));
});
