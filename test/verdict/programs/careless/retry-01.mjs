// Sends a booking again when its answer is lost.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async book(shop, order) {
    const body = JSON.stringify({ ...order.body, metadata: { order: order.reference } });
    const post = () => shop.habits.call(shop, "/v1/bookings", { method: "POST", body });
    const answer = await post().catch((lost) =>
      lost.name === "TimeoutError" ? careful.book(shop, order).then(Response.json) : post(),
    );
    return answer.ok ? answer.json() : careful.notBooked(shop, order, answer, await answer.json());
  },
});
