// Books without a reference of its own.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  metadata: () => undefined,
  async book(shop, order) {
    const body = JSON.stringify(order.body);
    const post = () => shop.habits.call(shop, "/v1/bookings", { method: "POST", body });
    const answer = await post().catch(async () => {
      const { items } = await shop.get("/v1/bookings?sort=-created_at&limit=100");
      const made = items.find(({ customer }) => customer.email === order.body.customer.email);
      return made ? Response.json(made) : post();
    });
    return answer.ok ? answer.json() : careful.notBooked(shop, order, answer, await answer.json());
  },
});
