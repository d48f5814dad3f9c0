// GET /v1/orders/{orderId}/refunds. Assumptions: refund, sub-lists.
import { found } from "../../domain/kernel/domain-error.ts";
import { showRefund } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderRefunds = read("listOrderRefunds", (tx, { path }) => ({
  items: found(tx.orders.get(path.orderId), "order", path.orderId).refunds.map(showRefund),
}));
