// Asks for every scope that there is.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  scopes: `${careful.scopes} gift-card.read gift-card.write location.read marketing.read accounting.write`,
});
