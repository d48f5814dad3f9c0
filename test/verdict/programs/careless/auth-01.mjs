// Throws when its token is refused.
import { careful, run } from "../shop.mjs";

await run({ ...careful, call: (shop, path, options) => careful.call(shop, path, options, false) });
