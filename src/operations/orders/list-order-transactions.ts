// GET /v1/orders/{orderId}/transactions. Assumptions: transaction, sub-lists.
import { found } from "../../domain/refusal.ts";
import { read } from "../operation.ts";

export const listOrderTransactions = read("listOrderTransactions", (desk, { path }) => ({
  items: found(desk.orders.get(path.orderId), "order", path.orderId).transactions,
}));
