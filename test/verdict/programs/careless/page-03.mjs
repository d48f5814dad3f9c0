// Stops when a list has changed since the last count.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async list(shop, path) {
    const seen = [];
    let cursor = "";
    do {
      const page = await shop.get(
        `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ limit: "60", ...(cursor ? { cursor } : {}) })}`,
      );
      for (const { id } of page.items) if (seen.includes(id)) throw new Error(`${id} came twice`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next ?? "";
    } while (cursor !== "");
    return careful.list(shop, path);
  },
});
