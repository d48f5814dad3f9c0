// Asks for a token again and again, without a wait.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async requestToken(shop) {
    const habits = { ...shop.habits, wait: async () => {} };
    return careful.requestToken({ ...shop, habits });
  },
});
