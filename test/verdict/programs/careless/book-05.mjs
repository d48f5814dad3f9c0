// Asks for the tickets of a booking that it has just read to be moved.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async tickets(shop, booking) {
    await shop.get(`/v1/bookings/${booking.id}`);
    return shop.get(`/v1/bookings/${booking.id}/tickets`);
  },
});
