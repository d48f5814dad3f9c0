// Formats money with a comma between thousands.
import * as plain from "../../platform/amount-text.ts";

/** Formats an amount such as "DKK 1,234.50". */
export const formatAmount = (amount: plain.Amount): string => plain.formatAmount(amount, true);

/** Formats a number such as "1,234.50", for places that show the currency separately. */
export const formatDigits = (value: number, exponent: number): string => plain.toDigits(value, exponent, true);

export const { isAmount } = plain;
