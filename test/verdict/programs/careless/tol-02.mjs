// Refuses an answer with a member that it does not know.
import { careful, run } from "../shop.mjs";

const KNOWN = ["items", "next"];

await run({
  ...careful,
  parse(body, path) {
    const strange = path.startsWith("/v1/orders?") ? Object.keys(body).filter((name) => !KNOWN.includes(name)) : [];
    if (strange.length > 0) throw new Error(`unrecognized key ${strange}`);
    return body;
  },
});
