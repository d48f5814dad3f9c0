// Knows one secret.
import { careful, run } from "../shop.mjs";

process.env.SANDBOX_WEBHOOK_SECRETS = process.env.SANDBOX_WEBHOOK_SECRET;

await run(careful);
