// GET /v1/orders/{orderId}/line-items. Assumptions: line-item, sub-lists.
import { loadOrder } from "../../domain/kernel/lookups.ts";
import { showLines } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderLineItems = read("listOrderLineItems", (tx, { path }) => ({
  items: showLines(tx, loadOrder(tx, path.orderId)),
}));
