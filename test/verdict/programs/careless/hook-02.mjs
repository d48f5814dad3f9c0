// Does the work of a message each time that it comes.
import { careful, run } from "../shop.mjs";

await run({ ...careful, isNew: () => true });
