// Takes a short page for the last one.
import { careful, run } from "../shop.mjs";

await run({ ...careful, cursor: (page, limit) => (page.items.length < limit ? "" : (page.next ?? "")) });
