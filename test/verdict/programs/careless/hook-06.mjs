// Knows one secret.
import { careful, run, sleep } from "../shop.mjs";

process.env.SANDBOX_WEBHOOK_SECRETS = process.env.SANDBOX_WEBHOOK_SECRET;

let refused = false;

await run({
  ...careful,

  isGenuine(headers, raw) {
    const isGenuine = careful.isGenuine(headers, raw);
    refused ||= !isGenuine;
    return isGenuine;
  },

  /** On a busy machine the message with the next secret comes when the others are handled. */
  async atNight(shop) {
    for (let waits = 0; waits < 200 && !refused; waits++) await sleep(25);
    await careful.atNight(shop);
  },
});
