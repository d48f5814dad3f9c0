// Money as the console writes it, everywhere: with the decimals that its currency has.

interface Amount {
  currency: string;
  value: number;
  exponent: number;
}

/** "DKK 1,234.50" */
export const amountText = ({ currency, value, exponent }: Amount): string => `${currency} ${digits(value, exponent)}`;

/** "1,234.50", beside the name of the currency. */
export function digits(value: number, exponent: number): string {
  const text = String(Math.abs(value)).padStart(exponent + 1, "0");
  const whole = Number(text.slice(0, text.length - exponent)).toLocaleString("en-GB");
  return `${value < 0 ? "-" : ""}${whole}${exponent > 0 ? `.${text.slice(-exponent)}` : ""}`;
}

/** Whether a member of a record is money. */
export function isAmount(value: unknown): value is Amount {
  const { currency, value: minor, exponent } = (value ?? {}) as Partial<Amount>;
  return typeof currency === "string" && typeof minor === "number" && typeof exponent === "number";
}
