// Makes up the cursor of the next page.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async extra(shop) {
    const page = await shop.get("/v1/orders?limit=2");
    await shop.habits.call(shop, `/v1/orders?${new URLSearchParams({ limit: "2", cursor: `${page.next}1` })}`);
  },
});
