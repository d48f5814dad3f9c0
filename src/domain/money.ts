// Money: integers in the smallest unit of an ISO 4217 currency ("PriceAmount"), with 0, 2 or 3 decimals. Prices include VAT;
// rounding is half up (assumption: money-rounding); shares are cut by largest remainder (assumption: posting-rules).
import type { Price } from "./records.ts";

const exponents = new Map<string, number>();

/** Decimal places of a currency, as ISO 4217 (through CLDR) has them. */
export function exponentOf(currency: string): number {
  let exponent = exponents.get(currency);
  if (exponent === undefined) {
    const options = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
    exponent = options.maximumFractionDigits ?? 2;
    exponents.set(currency, exponent);
  }
  return exponent;
}

export function price(value: number, currency: string): Price {
  return { currency, value, exponent: exponentOf(currency) };
}

/** `a × b / c`, rounded half up, exact however large the product. */
export function timesOver(a: number, b: number, c: number): number {
  const product = a * b;
  if (Number.isSafeInteger(product * 2)) return Math.floor((2 * product + c) / (2 * c));
  return Number((2n * BigInt(a) * BigInt(b) + BigInt(c)) / (2n * BigInt(c)));
}

/** The VAT inside a gross amount: gross × rate / (1 + rate). `rate` is decimal text, "0.25". */
export function vatWithin(gross: number, rate: string): number {
  const [whole = "0", decimals = ""] = rate.split(".");
  const scale = 10 ** decimals.length;
  const scaled = Number(whole) * scale + Number(decimals || "0");
  return timesOver(gross, scaled, scale + scaled);
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Cuts `amount` in proportion to `weights`; whole units, their sum is `amount`, and no share exceeds its weight while amount ≤ Σ weights. */
export function share(amount: number, weights: readonly number[]): number[] {
  const total = sum(weights);
  if (total === 0) return weights.map(() => 0);
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
