// Verifies the signature over the body as it would write it.
import { careful, run } from "../shop.mjs";

await run({ ...careful, isGenuine: (headers, raw) => careful.isGenuine(headers, JSON.stringify(JSON.parse(raw))) });
