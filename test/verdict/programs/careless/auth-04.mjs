// Sends the token in the address as well.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async call(shop, path, options, again) {
    return careful.call(
      shop,
      `${path}${path.includes("?") ? "&" : "?"}access_token=${await careful.token(shop)}`,
      options,
      again,
    );
  },
});
