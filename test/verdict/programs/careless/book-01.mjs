// Tries a full event once more.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async notBooked(shop, order, answer, error) {
    await careful.notBooked(shop, order, answer, error);
    if (error.code !== "NOT_ENOUGH_RESOURCES" || order.tried) return undefined;
    return shop.habits.book(shop, { ...order, tried: true });
  },
});
