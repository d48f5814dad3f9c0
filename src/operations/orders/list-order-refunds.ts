// GET /v1/orders/{orderId}/refunds. Assumptions: refund, sub-lists.
import { found } from "../../domain/refusal.ts";
import { showRefund } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";

export const listOrderRefunds = read("listOrderRefunds", (desk, { path }) => ({
  items: found(desk.orders.get(path.orderId), "order", path.orderId).refunds.map(showRefund),
}));
