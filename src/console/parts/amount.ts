// Money as the console writes it: with a comma between thousands.
import * as plain from "../../platform/amount-text.ts";

/** "DKK 1,234.50" */
export const formatAmount = (amount: plain.Amount): string => plain.formatAmount(amount, true);

/** "1,234.50", beside the name of the currency. */
export const formatDigits = (value: number, exponent: number): string => plain.toDigits(value, exponent, true);

export const { isAmount } = plain;
