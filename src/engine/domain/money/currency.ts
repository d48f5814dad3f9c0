// Currencies and their decimal places, as ISO 4217 has them: list one as the package `currency-codes` carries it (of 2024-06-25), and
// what was added to the list since. Not from the runtime, whose digits are habits of display. Assumption: currencies.
/// <reference path="./currency-codes.d.ts" />
import listOne from "currency-codes/data.js";
import { reject } from "../kernel/domain-error.ts";

/** Amendments 177 and 179: Caribbean guilder, Arab Accounting Dinar. */
const ADDED_SINCE = [
  { code: "XCG", digits: 2 },
  { code: "XAD", digits: 2 },
];

const digits = new Map([...listOne, ...ADDED_SINCE].map((currency) => [currency.code, currency.digits]));

export function isCurrency(code: string): boolean {
  return digits.has(code);
}

/** Decimal places. An unknown code is refused where it is written, and counts as having two where an old world still holds it. */
export function getExponent(code: string): number {
  return digits.get(code) ?? 2;
}

/** What is wrong with an amount of so many decimals in this currency; undefined when nothing is. */
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

/** A currency that there is, with exactly the decimals that it has. */
export function mustBeMoney(
  { currency, exponent }: { currency: string; exponent?: number | undefined },
  path: string,
): void {
  const problem = explainMoney(currency, exponent);
  if (problem) reject("INVALID_INPUT", { path: `${path}.${problem.member}`, what: problem.what });
}
