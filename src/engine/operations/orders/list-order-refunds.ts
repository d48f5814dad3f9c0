// GET /v1/orders/{orderId}/refunds. Assumptions: refund, sub-lists.
import { loadOrder } from "../../domain/kernel/lookups.ts";
import { showRefund } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderRefunds = read("listOrderRefunds", (tx, { path }) => ({
  items: loadOrder(tx, path.orderId).refunds.map(showRefund),
}));
