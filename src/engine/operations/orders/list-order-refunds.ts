// GET /v1/orders/{orderId}/refunds. Assumptions: refund, sub-lists.
import { orderById } from "../../domain/kernel/lookups.ts";
import { showRefund } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderRefunds = read("listOrderRefunds", (tx, { path }) => ({
  items: orderById(tx, path.orderId).refunds.map(showRefund),
}));
