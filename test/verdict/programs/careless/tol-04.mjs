// Answers 500 to a kind that it does not know.
import { careful, run } from "../shop.mjs";

await run({ ...careful, unknownKind: 500 });
