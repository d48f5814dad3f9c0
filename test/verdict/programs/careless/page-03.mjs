// Counts a list first, and stops when it then reads another number of items.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async list(shop, path) {
    const { length } = await careful.list(shop, path);
    const items = await careful.list(shop, path);
    if (items.length !== length) throw new Error(`${items.length} items instead of ${length}`);
    return items;
  },
});
