// Keeps its token in a column of 255 characters.
import { careful, run } from "../shop.mjs";

await run({ ...careful, requestToken: async (shop) => (await careful.requestToken(shop)).slice(0, 255) });
