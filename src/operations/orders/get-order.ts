// GET /v1/orders/{orderId}. Heading "Orders (read-only)".
import { found } from "../../domain/refusal.ts";
import { showOrder } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";

export const getOrder = read("getOrder", (desk, { path }) =>
  showOrder(desk, found(desk.orders.get(path.orderId), "order", path.orderId)),
);
