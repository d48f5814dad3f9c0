// Acts on the money of an order: payments and refunds, and how one that is pending ends. Assumptions: transaction, refund,
// refund-to-card.

import { loadOrder, loadTicket } from "../domain/kernel/lookups.ts";
import { endPayment, pay } from "../domain/money/payment.ts";
import { endRefund, refundOrder } from "../domain/money/refund.ts";
import { act } from "./act.ts";
import { mustBeAlone, toMinorPaid } from "./fields.ts";
import { orderResult } from "./results.ts";

export const orderActs = [
  act("payOrder", (tx, { order_id, transaction_id, amount, ...input }) => {
    const order = loadOrder(tx, order_id);
    if (transaction_id !== undefined) {
      const { status = "COMPLETED", ...others } = input;
      mustBeAlone("transaction_id", { amount, ...others });
      return orderResult(tx, endPayment(tx, order, transaction_id, status));
    }
    if (amount === undefined) return orderResult(tx, pay(tx, order, input));
    const minor = toMinorPaid(amount, order.currency, "body.amount");
    return orderResult(tx, pay(tx, order, { ...input, amount: minor }));
  }),

  // Refunds the rest, an amount, or a ticket.
  act("refundOrder", (tx, { order_id, refund_id, amount, ...input }) => {
    const order = loadOrder(tx, order_id);
    if (refund_id !== undefined) {
      const { status = "COMPLETED", ...others } = input;
      mustBeAlone("refund_id", { amount, ...others });
      return orderResult(tx, endRefund(tx, order, refund_id, status));
    }
    if (input.ticket_id !== undefined) loadTicket(tx, input.ticket_id);
    if (amount === undefined) return orderResult(tx, refundOrder(tx, order, input));
    const minor = toMinorPaid(amount, order.currency, "body.amount");
    return orderResult(tx, refundOrder(tx, order, { ...input, amount: minor }));
  }),
];
