// Formats money for people, with the decimals of its currency.

export interface Amount {
  currency: string;
  /** The value in minor units. */
  value: number;
  exponent: number;
}

/** Formats `DKK 1234.50`, or grouped `DKK 1,234.50`. */
export const formatAmount = ({ currency, value, exponent }: Amount, isGrouped = false): string =>
  `${currency} ${toDigits(value, exponent, isGrouped)}`;

/** Formats `1234.50`, for use next to the name of the currency. */
export function toDigits(value: number, exponent: number, isGrouped = false): string {
  const text = String(Math.abs(value)).padStart(exponent + 1, "0");
  const whole = text.slice(0, text.length - exponent);
  // Intl would take 20 ms for its first call. A number has at most 16 digits.
  const grouped = isGrouped ? whole.replace(/\B(?=(\d{3}){1,5}$)/g, ",") : whole;
  return `${value < 0 ? "-" : ""}${grouped}${exponent > 0 ? `.${text.slice(-exponent)}` : ""}`;
}

/** Whether a value is money. */
export function isAmount(value: unknown): value is Amount {
  const { currency, value: minor, exponent } = (value ?? {}) as Partial<Amount>;
  return typeof currency === "string" && typeof minor === "number" && typeof exponent === "number";
}
