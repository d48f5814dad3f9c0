// GET /v1/orders/{orderId}/transactions. Assumptions: transaction, sub-lists.
import { loadOrder } from "../../domain/kernel/lookups.ts";
import { read } from "../operation.ts";

export const listOrderTransactions = read("listOrderTransactions", (tx, { path }) => ({
  items: loadOrder(tx, path.orderId).transactions,
}));
