// An amount as people write it.
import type { Price } from "../kernel/records.ts";

/** `DKK 297.00`: with the decimals that the currency has. */
export function amountText({ currency, value, exponent }: Price): string {
  const digits = String(Math.abs(value)).padStart(exponent + 1, "0");
  const whole = digits.slice(0, digits.length - exponent);
  const decimals = exponent > 0 ? `.${digits.slice(-exponent)}` : "";
  return `${currency} ${value < 0 ? "-" : ""}${whole}${decimals}`;
}
