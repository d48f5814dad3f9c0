// Repeats whatever is not found or not allowed.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  isPassing: (status) => careful.isPassing(status) || status === 404 || status === 403,
});
