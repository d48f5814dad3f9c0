// Takes twenty messages a second, and refuses the rest.
import { careful, run } from "../shop.mjs";

let came = [];

await run({
  ...careful,
  isGenuine(headers, raw) {
    came = [...came.filter((at) => at > Date.now() - 1000), Date.now()];
    if (came.length > 20) throw new Error("busy");
    return careful.isGenuine(headers, raw);
  },
});
