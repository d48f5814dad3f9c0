// GET /v1/orders/{orderId}/transactions. Assumptions: transaction, sub-lists.
import { found } from "../../domain/kernel/domain-error.ts";
import { read } from "../operation.ts";

export const listOrderTransactions = read("listOrderTransactions", (tx, { path }) => ({
  items: found(tx.orders.get(path.orderId), "order", path.orderId).transactions,
}));
