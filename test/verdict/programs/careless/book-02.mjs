// Takes every 409 for sold out.
import { careful, run } from "../shop.mjs";

await run({ ...careful, notBooked: async () => undefined });
