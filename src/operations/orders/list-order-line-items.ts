// GET /v1/orders/{orderId}/line-items. Assumptions: line-item, sub-lists.
import { found } from "../../domain/refusal.ts";
import { showLine } from "../../domain/shown.ts";
import { read } from "../operation.ts";

export const listOrderLineItems = read("listOrderLineItems", (desk, { path }) => ({
  items: found(desk.orders.get(path.orderId), "order", path.orderId).line_items.map(showLine),
}));
