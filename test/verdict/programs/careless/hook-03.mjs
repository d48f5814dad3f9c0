// Keeps what the last message said.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async handle(shop, { payload }) {
    shop.last = payload.booking_id;
    shop.known.set("last", [...shop.mine].indexOf(payload.booking_id));
    shop.handled++;
  },
});
