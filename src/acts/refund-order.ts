// Money goes back: all that is left, an amount, or a ticket's; or a refund under way ends. Assumptions: refund, refund-to-card.
import { endRefund, refundOrder as refund } from "../domain/money/refund.ts";
import { act } from "./act.ts";
import { minorUnitsPaid } from "./amount.ts";
import { orderAnswer } from "./answers.ts";
import { mustBeAlone, orderCalled, ticketCalled } from "./named.ts";

export const refundOrder = act("refundOrder", (tx, { order_id, refund_id, amount, ...input }) => {
  const order = orderCalled(tx, order_id);
  if (refund_id !== undefined) {
    const { status = "COMPLETED", ...others } = input;
    mustBeAlone("refund_id", { amount, ...others });
    return orderAnswer(tx, endRefund(tx, order, refund_id, status));
  }
  if (input.ticket_id !== undefined) ticketCalled(tx, input.ticket_id);
  if (amount === undefined) return orderAnswer(tx, refund(tx, order, input));
  const minor = minorUnitsPaid(amount, order.currency, "body.amount");
  return orderAnswer(tx, refund(tx, order, { ...input, amount: minor }));
});
