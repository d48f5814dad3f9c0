// Money: decimals by currency, VAT rounded half up, shares by largest remainder. Assumptions: money-rounding, posting-rules.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exponentOf, price, share, sum, timesOver, vatWithin } from "../../src/domain/money.ts";

describe("A currency", () => {
  it.each([
    ["JPY", 0],
    ["DKK", 2],
    ["KWD", 3],
  ])("%s has %i decimals", (currency, exponent) => {
    expect(exponentOf(currency)).toBe(exponent);
    expect(price(1999, currency)).toEqual({ currency, value: 1999, exponent });
  });
});

describe("The VAT inside a price", () => {
  it.each([
    [24900, "0.25", 4980],
    [9950, "0.12", 1066],
    [100, "0", 0],
    [1, "0.25", 0],
    [2, "0.25", 0],
    [3, "0.25", 1],
    [125, "1", 63],
    [10_000, "0.055", 521],
    [9_007_199_254_740_991, "0.25", 1_801_439_850_948_198],
  ])("of %i at %s is %i", (gross, rate, vat) => {
    expect(vatWithin(gross, rate)).toBe(vat);
  });

  it("is the whole number nearest to gross × rate / (1 + rate), the upper one of two", () => {
    const rate = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(fc.maxSafeNat(), rate, (gross, millionths) => {
        const vat = BigInt(vatWithin(gross, (millionths / 1_000_000).toFixed(6)));
        const [exact, over] = [BigInt(gross) * BigInt(millionths), BigInt(1_000_000 + millionths)];
        expect(2n * exact - 2n * vat * over < over && 2n * vat * over - 2n * exact <= over).toBe(true);
      }),
    );
  });

  it("is exact however large the product", () => {
    expect(timesOver(9_007_199_254_740_991, 9_007_199_254_740_991, 9_007_199_254_740_991)).toBe(9_007_199_254_740_991);
    expect(timesOver(5, 1, 2)).toBe(3);
  });
});

describe("An amount cut in shares", () => {
  it.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [10, [0, 0, 5], [0, 0, 10]],
    [5, [], []],
    [5, [0, 0], [0, 0]],
    [0, [3, 4], [0, 0]],
    [7, [10, 20, 40], [1, 2, 4]],
    [2, [1, 1, 1], [1, 1, 0]],
  ])("%i over %j is %j", (amount, weights, shares) => {
    expect(share(amount, weights)).toEqual(shares);
  });

  const weights = fc.array(fc.oneof(fc.nat(5), fc.nat(1_000_000)), { minLength: 1, maxLength: 12 });
  it("adds up, is fair to less than a unit, and takes no more than there is", () => {
    fc.assert(
      fc.property(weights, fc.nat(1_000), (all, part) => {
        const total = sum(all);
        const amount = Math.floor((total * part) / 1_000);
        const shares = share(amount, all);
        expect(sum(shares)).toBe(amount);
        shares.forEach((each, index) => {
          const weight = all[index] ?? 0;
          expect(each).toBeGreaterThanOrEqual(0);
          expect(each).toBeLessThanOrEqual(weight);
          if (total > 0) expect(Math.abs(each - (amount * weight) / total)).toBeLessThan(1);
        });
      }),
    );
  });
});
