// Takes a day for a day in UTC.
import { careful, run } from "../shop.mjs";

await run({ ...careful, day: (from, to) => ({ from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` }) });
