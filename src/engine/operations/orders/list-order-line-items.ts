// GET /v1/orders/{orderId}/line-items. Assumptions: line-item, sub-lists.
import { found } from "../../domain/kernel/domain-error.ts";
import { showLines } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const listOrderLineItems = read("listOrderLineItems", (tx, { path }) => ({
  items: showLines(tx, found(tx.orders.get(path.orderId), "order", path.orderId)),
}));
