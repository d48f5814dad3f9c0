// Money goes back: all that is left, an amount, or a ticket's; or a refund under way ends. Assumption: refund.
import { found } from "../domain/refusal.ts";
import { endRefund, refundOrder as refund } from "../domain/refund.ts";
import { minorUnits } from "./amount.ts";
import { showMoney } from "./named.ts";
import { act } from "./act.ts";

export const refundOrder = act("refundOrder", (desk, { order_id, refund_id, amount, ...wish }) => {
  const order = found(desk.orders.get(order_id), "order", order_id);
  if (refund_id !== undefined) return showMoney(endRefund(desk, order, refund_id, wish.status ?? "COMPLETED"));
  const minor = amount === undefined ? {} : { amount: minorUnits(amount, order.currency, "body.amount") };
  return showMoney(refund(desk, order, { ...wish, ...minor }));
});
