// Does not look at Retry-After.
import { careful, run, sleep } from "../shop.mjs";

await run({ ...careful, wait: (_answer, attempt) => sleep(2 ** attempt * 120) });
