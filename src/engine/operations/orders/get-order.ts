// GET /v1/orders/{orderId}. Heading "Orders (read-only)".
import { loadOrder } from "../../domain/kernel/lookups.ts";
import { showOrder } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";

export const getOrder = read("getOrder", (tx, { path }) => showOrder(tx, loadOrder(tx, path.orderId)));
