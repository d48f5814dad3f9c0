// Money goes back: all that is left, an amount, or a ticket's; or a refund under way ends. Assumptions: refund, refund-to-card.
import { endRefund, refundOrder as refund } from "../domain/refund.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";
import { orderAnswer } from "./answers.ts";
import { mustBeAlone, orderCalled, ticketCalled } from "./named.ts";

export const refundOrder = act("refundOrder", (desk, { order_id, refund_id, amount, ...wish }) => {
  const order = orderCalled(desk, order_id);
  if (refund_id !== undefined) {
    const { status = "COMPLETED", ...others } = wish;
    mustBeAlone("refund_id", { amount, ...others });
    return orderAnswer(desk, endRefund(desk, order, refund_id, status));
  }
  if (wish.ticket_id !== undefined) ticketCalled(desk, wish.ticket_id);
  if (amount === undefined) return orderAnswer(desk, refund(desk, order, wish));
  const minor = minorUnitsPaid(amount, order.currency, "body.amount");
  return orderAnswer(desk, refund(desk, order, { ...wish, amount: minor }));
});
