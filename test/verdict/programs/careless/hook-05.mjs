// Takes one message at a time, and refuses what comes meanwhile.
import { careful, run } from "../shop.mjs";

let busy = false;

await run({
  ...careful,
  isGenuine(headers, raw) {
    if (busy) throw new Error("busy");
    busy = true;
    setTimeout(() => (busy = false), 15);
    return careful.isGenuine(headers, raw);
  },
});
