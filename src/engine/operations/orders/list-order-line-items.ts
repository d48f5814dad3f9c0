// GET /v1/orders/{orderId}/line-items. Assumptions: line-item, sub-lists.
import { orderById } from "../../domain/kernel/lookups.ts";
import { showLines } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderLineItems = read("listOrderLineItems", (tx, { path }) => ({
  items: showLines(tx, orderById(tx, path.orderId)),
}));
