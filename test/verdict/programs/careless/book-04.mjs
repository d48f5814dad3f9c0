// Sends a booking that is invalid a second time.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async extra(shop) {
    const body = JSON.stringify({
      event_id: "evt-evening",
      locale: "da",
      customer: { customer_type: "COMPANY", name: "Eva Krog", email: "eva@example.com" },
      items: [],
    });
    for (let attempt = 0; attempt < 2; attempt++)
      await shop.habits.call(shop, "/v1/bookings", { method: "POST", body }).catch(() => {});
  },
});
