// GET /v1/orders/{orderId}/transactions. Assumptions: transaction, sub-lists.
import { orderById } from "../../domain/kernel/lookups.ts";
import { read } from "../operation.ts";

export const listOrderTransactions = read("listOrderTransactions", (tx, { path }) => ({
  items: orderById(tx, path.orderId).transactions,
}));
