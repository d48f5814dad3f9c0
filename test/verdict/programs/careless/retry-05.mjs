// Waits for an answer as long as it takes.
import { careful, run } from "../shop.mjs";

await run({ ...careful, timeOut: 60_000 });
