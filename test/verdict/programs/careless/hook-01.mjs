// Takes every message, whoever sent it.
import { careful, run } from "../shop.mjs";

await run({ ...careful, isGenuine: () => true });
