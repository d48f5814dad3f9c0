// GET /v1/orders/{orderId}/line-items. Assumptions: line-item, sub-lists.
import { found } from "../../domain/refusal.ts";
import { showLines } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";

export const listOrderLineItems = read("listOrderLineItems", (desk, { path }) => ({
  items: showLines(desk, found(desk.orders.get(path.orderId), "order", path.orderId)),
}));
