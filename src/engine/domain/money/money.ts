// Calculates with money: integers in the smallest unit of a currency ("PriceAmount"), at most ±(2^53 − 1). Prices include
// VAT; VAT and discounts are rounded half up, or half even (assumptions: amounts, money-rounding). Shares are cut by largest
// remainder (assumption: posting-rules).

import { reject } from "../kernel/domain-error.ts";
import type { Price } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getExponent } from "./currency.ts";

export function price(value: number, currency: string): Price {
  const known = prices.get(value);
  if (known?.currency === currency) return known;
  const created = Object.freeze({ currency, value: mustBeExact(value), exponent: getExponent(currency) });
  if (prices.size < 1000) prices.set(value, created);
  return created;
}

/** Prices are shared between records, which is safe because a record is never changed in place. */
const prices = new Map<number, Price>();

/** Returns the amount, or rejects with INVALID_INPUT if a number can't hold it exactly. */
export function mustBeExact(value: number): number {
  // Adding 0 turns -0 into 0, because a cached price of 0 must not have a sign.
  if (Number.isSafeInteger(value)) return value + 0;
  const what = `an amount of this size can't be stored exactly; the largest is ${Number.MAX_SAFE_INTEGER}. Use a smaller one.`;
  return reject("INVALID_INPUT", { path: "body", what });
}

/** Computes `a × b / c`, rounded to an integer, exact for products of any size. */
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

/** Computes the VAT within a gross amount: gross × rate / (1 + rate). `rate` is decimal text, "0.25". */
export function toVat(gross: number, rate: string, rounded: Rounding): number {
  const { units, scale } = parseDecimal(rate);
  return rounded(gross, units, scale + units);
}

/** Normalizes a rate for grouping and comparing: "0.25" and "0.250" are one rate. A missing rate is zero. */
export const toRate = (rate = "0"): string => String(Number(rate));

/** Returns a copy for comparisons, in which all rates at any depth are normalized. */
export const mapRates = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === "vat_rate" ? toRate(member) : member)));

/** Formats "0.25" as "25" per cent. Rates have at most six decimals; the product of two doubles may show more. */
export function toPercent(rate: string): string {
  return String(Number((Number(rate) * 100).toFixed(4)));
}

/** Computes a percentage of an amount; the percentage is read as exact decimal text. */
export function takePercent(amount: number, percent: number, rounded: Rounding): number {
  const { units, scale } = parseDecimal(String(percent));
  return rounded(amount, units, 100n * scale);
}

/** Parses a decimal number as a fraction of two integers. Results are cached, because a catalogue has few rates. */
function parseDecimal(text: string): { units: bigint; scale: bigint } {
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

/**
 * Cuts `amount` in proportion to `weights` into integers whose sum is `amount`. No share exceeds its weight while
 * amount ≤ Σ weights.
 */
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
