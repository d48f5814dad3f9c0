// Takes twenty messages a second, and refuses the rest.
import { careful, run } from "../shop.mjs";

let received = [];

await run({
  ...careful,
  isGenuine(headers, raw) {
    received = [...received.filter((at) => at > Date.now() - 1000), Date.now()];
    if (received.length > 20) throw new Error("busy");
    return careful.isGenuine(headers, raw);
  },
});
