// Reads on whatever the cursor is.
import { careful, run } from "../shop.mjs";

await run({ ...careful, checkCursor: () => {} });
