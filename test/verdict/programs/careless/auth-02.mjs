// Asks for a token before every call.
import { careful, run } from "../shop.mjs";

await run({ ...careful, token: (shop) => shop.habits.requestToken(shop) });
