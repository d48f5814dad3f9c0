// GET /v1/orders. Assumptions: order-list, booking-list-window.

import type { Order } from "../../domain/kernel/records.ts";
import { showOrder } from "../../domain/money/order-view.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { readOrder, readSpan } from "../time-range.ts";

export const listOrders = read("listOrders", (tx, { query }) => {
  const { by, descending } = readOrder(query.sort);
  const { from, until, holds } = readSpan(query, tx.assumes("booking-list-window") === "from-exclusive");
  return page(tx, {
    list: "listOrders",
    query,
    keyOf: (order: Order) => order[by],
    *behind(past) {
      // In the order of updated_at, the window is only a filter.
      const bounds = by === "created_at" ? { from, until } : {};
      const walk = tx.orders.walk(by === "created_at" ? "created" : "updated", {
        ...bounds,
        ...(past ? { past } : {}),
        descending,
      });
      for (const order of walk) if (holds(order.created_at)) yield order;
    },
    show: (order) => showOrder(tx, order),
  });
});
