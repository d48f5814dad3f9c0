// Money: integers in the smallest unit of a currency ("PriceAmount"), none beyond ±(2^53 − 1). Prices include VAT; VAT and
// discounts are rounded half up, or half even (assumptions: amounts, money-rounding); shares are cut by largest remainder
// (assumption: posting-rules).

import { reject } from "../kernel/domain-error.ts";
import type { Price } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getExponent } from "./currency.ts";

export function price(value: number, currency: string): Price {
  const known = prices.get(value);
  if (known?.currency === currency) return known;
  const made = Object.freeze({ currency, value: exact(value), exponent: getExponent(currency) });
  if (prices.size < 1000) prices.set(value, made);
  return made;
}

/** A record is never changed in place, so that many can have the same price. */
const prices = new Map<number, Price>();

/** The amount, when a number can hold it exactly. */
export function exact(value: number): number {
  // -0 + 0 is 0: a shared price of nothing must not have a sign that depends on who asked first.
  if (Number.isSafeInteger(value)) return value + 0;
  const what = `an amount of this size can't be told exactly; the largest is ${Number.MAX_SAFE_INTEGER}. Ask for less.`;
  return reject("INVALID_INPUT", { path: "body", what });
}

/** `a × b / c`, rounded to a whole number, exact however large the product. */
type Rounding = (a: number, b: number | bigint, c: number | bigint) => number;

export const roundHalfUp: Rounding = (a, b, c) => {
  const twice = 2 * a * Number(b) + Number(c);
  if (Number.isSafeInteger(twice)) return Math.floor(twice / (2 * Number(c)));
  return Number((2n * BigInt(a) * BigInt(b) + BigInt(c)) / (2n * BigInt(c)));
};

export const roundHalfEven: Rounding = (a, b, c) => {
  const [product, by] = [BigInt(a) * BigInt(b), BigInt(c)];
  const down = product / by;
  const twice = 2n * (product % by);
  return Number(twice > by || (twice === by && down % 2n === 1n) ? down + 1n : down);
};

export function getRounding(tx: Transaction): Rounding {
  return tx.assumes("money-rounding") === "half-even" ? roundHalfEven : roundHalfUp;
}

/** The VAT inside a gross amount: gross × rate / (1 + rate). `rate` is decimal text, "0.25". */
export function toVat(gross: number, rate: string, rounded: Rounding): number {
  const { units, scale } = parse(rate);
  return rounded(gross, units, scale + units);
}

/** What rates are grouped and compared by: "0.25" and "0.250" are one rate. Without one it is zero. */
export const toRate = (rate = "0"): string => String(Number(rate));

/** A copy to compare, with all its rates, at any depth, by their value. */
export const mapRates = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === "vat_rate" ? toRate(member) : member)));

/** "0.25" is "25" per cent. Rates have at most six decimals; the product of two doubles may show more. */
export function toPercent(rate: string): string {
  return String(Number((Number(rate) * 100).toFixed(4)));
}

/** So many per cent of an amount, the percentage exactly as it was given. */
export function takePercent(amount: number, percent: number, rounded: Rounding): number {
  const { units, scale } = parse(String(percent));
  return rounded(amount, units, 100n * scale);
}

/** A decimal number as a fraction of two whole ones. Remembered: a catalogue has few rates. */
function parse(text: string): { units: bigint; scale: bigint } {
  const known = decimals.get(text);
  if (known) return known;
  const [, whole = "0", fraction = "", power = "0"] = /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(text) ?? [];
  const read = { units: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length + Number(power)) };
  if (decimals.size < 1000) decimals.set(text, read);
  return read;
}

const decimals = new Map<string, { units: bigint; scale: bigint }>();

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Cuts `amount` in proportion to `weights`; whole units, their sum is `amount`, and no share exceeds its weight while amount ≤ Σ weights. */
export function share(amount: number, weights: readonly number[]): number[] {
  const total = sum(weights);
  if (amount === total) return [...weights];
  if (total === 0) return weights.map(() => 0);
  if (weights.length === 1) return [amount];
  const exact = weights.map((weight) => (BigInt(amount) * BigInt(weight)) / BigInt(total));
  const shares = exact.map(Number);
  const remainders = weights.map((weight, index) => ({
    index,
    rest: (BigInt(amount) * BigInt(weight)) % BigInt(total),
  }));
  remainders.sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  for (const { index } of remainders.slice(0, amount - sum(shares))) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}
