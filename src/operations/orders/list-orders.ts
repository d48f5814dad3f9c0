// GET /v1/orders. Assumptions: order-list, booking-list-window.

import type { Order } from "../../domain/records.ts";
import { showOrder } from "../../domain/shown-order.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { readOrder, readSpan } from "../span.ts";

export const listOrders = read("listOrders", (desk, { query }) => {
  const { by, descending } = readOrder(query.sort);
  const { from, until, holds } = readSpan(query, desk.assumes("booking-list-window") === "from-exclusive");
  return page(desk, {
    list: "listOrders",
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (order: Order) => order[by],
    *behind(past) {
      const bounds = by === "created_at" ? { from, until } : {};
      const walk = desk.orders.walk(by === "created_at" ? "created" : "updated", {
        ...bounds,
        ...(past ? { past } : {}),
        descending,
      });
      for (const order of walk) if (holds(order.created_at)) yield order;
    },
    show: (order) => showOrder(desk, order),
  });
});
