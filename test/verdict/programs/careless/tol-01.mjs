// Throws at a payment that it does not know.
import { careful, run } from "../shop.mjs";

const KNOWN = [
  "PLATFORM_PAY",
  "STRIPE",
  "ADYEN",
  "QUICKPAY",
  "GIFTCARD",
  "PUNCHCARD",
  "SETTLEMENT",
  "INTEGRATION",
  "UNKNOWN",
];

await run({
  ...careful,
  payment(type) {
    if (!KNOWN.includes(type)) throw new Error(`unknown payment ${type}`);
    return type;
  },
});
