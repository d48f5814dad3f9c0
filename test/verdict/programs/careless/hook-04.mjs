// Trusts that every message comes.
import { careful, run } from "../shop.mjs";

await run({ ...careful, atNight: async () => {} });
