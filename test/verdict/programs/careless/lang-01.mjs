// Leaves the language to the HTTP library.
import { careful, run } from "../shop.mjs";

await run({ ...careful, language: "*" });
