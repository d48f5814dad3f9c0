// GET /v1/orders/{orderId}. Heading "Orders (read-only)".
import { found } from "../../domain/kernel/domain-error.ts";
import { showOrder } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const getOrder = read("getOrder", (tx, { path }) =>
  showOrder(tx, found(tx.orders.get(path.orderId), "order", path.orderId)),
);
