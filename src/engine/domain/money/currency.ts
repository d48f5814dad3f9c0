// Knows currencies and their decimal places by ISO 4217: list one of the package `currency-codes` (2024-06-25), and later
// additions. The runtime's digits are not used, because they follow display habits. Assumption: currencies.
/// <reference path="./currency-codes.d.ts" />
import listOne from "currency-codes/data.js";
import { reject } from "../kernel/domain-error.ts";

/** Amendments 177 and 179 of ISO 4217: Caribbean guilder, Arab Accounting Dinar. */
const ADDED_SINCE = [
  { code: "XCG", digits: 2 },
  { code: "XAD", digits: 2 },
];

const digits = new Map([...listOne, ...ADDED_SINCE].map((currency) => [currency.code, currency.digits]));

export function isCurrency(code: string): boolean {
  return digits.has(code);
}

/** Returns the decimal places. An unknown code is rejected on input; in an old world it counts as having two. */
export function getExponent(code: string): number {
  return digits.get(code) ?? 2;
}

/** Explains what is wrong with a currency or its exponent. Returns undefined if both are valid. */
export function explainMoney(
  code: string,
  exponent?: number,
): { member: "currency" | "exponent"; what: string } | undefined {
  if (!isCurrency(code)) {
    return { member: "currency", what: `there is no currency ${code} in ISO 4217. Name one, such as DKK or EUR.` };
  }
  const right = getExponent(code);
  if (exponent === undefined || exponent === right) return undefined;
  return {
    member: "exponent",
    what: `${code} has ${right} decimal places, not ${exponent}. Write ${right}, and check the value.`,
  };
}

/** Rejects an unknown currency, or an exponent that is not the currency's. */
export function mustBeMoney(
  { currency, exponent }: { currency: string; exponent?: number | undefined },
  path: string,
): void {
  const problem = explainMoney(currency, exponent);
  if (problem) reject("INVALID_INPUT", { path: `${path}.${problem.member}`, what: problem.what });
}
