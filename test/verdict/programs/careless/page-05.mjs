// Takes a page without items for the last one.
import { careful, run } from "../shop.mjs";

await run({ ...careful, cursor: (page) => (page.items.length === 0 ? "" : (page.next ?? "")) });
