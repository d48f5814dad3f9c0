// Reads the end of the token from its third part, as if it were a JWT.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  async requestToken(shop) {
    const token = await careful.requestToken(shop);
    const [, claims] = token.split(".");
    shop.until =
      claims === undefined ? Number.POSITIVE_INFINITY : JSON.parse(Buffer.from(claims, "base64url").toString()).exp;
    return token;
  },
});
