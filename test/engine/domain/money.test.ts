// Money: decimals by currency, VAT rounded half up, shares by largest remainder. Assumptions: money-rounding, posting-rules.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainMoney, getExponent, isCurrency } from "../../../src/engine/domain/money/currency.ts";
import {
  mustBeExact,
  price,
  roundHalfEven,
  roundHalfUp,
  share,
  sum,
  takePercent,
  toPercent,
  toVat,
} from "../../../src/engine/domain/money/money.ts";

describe("A currency", () => {
  it.each([
    ["JPY", 0],
    ["ISK", 0],
    ["DKK", 2],
    ["KWD", 3],
    ["UYW", 4],
    ["XCG", 2],
    // Those that a runtime's own table shows without their decimals.
    ...[
      "AFN",
      "ALL",
      "COP",
      "HUF",
      "IDR",
      "IRR",
      "KPW",
      "LAK",
      "LBP",
      "MGA",
      "MMK",
      "PKR",
      "RSD",
      "SOS",
      "SYP",
      "YER",
    ].map((code): [string, number] => [code, 2]),
    ["IQD", 3],
  ])("%s has %i decimals", (currency, exponent) => {
    expect(getExponent(currency)).toBe(exponent);
    expect(price(1999, currency)).toEqual({ currency, value: 1999, exponent });
  });
});

describe("Money", () => {
  it("has a known currency", () => {
    expect([isCurrency("DKK"), isCurrency("XYZ"), isCurrency("dkk")]).toEqual([true, false, false]);
    expect(explainMoney("XYZ")).toMatchObject({ member: "currency", what: expect.stringContaining("XYZ") });
    expect(explainMoney("HUF", 0)).toMatchObject({ member: "exponent", what: expect.stringContaining("not 0") });
    expect(explainMoney("HUF", 2)).toBeUndefined();
  });

  it("of zero has no sign", () => {
    expect([price(-0, "ISK").value, price(0, "ISK").value]).toEqual([0, 0]);
  });

  it("never exceeds the exact integers", () => {
    expect(mustBeExact(Number.MAX_SAFE_INTEGER)).toBe(9_007_199_254_740_991);
    expect(() => mustBeExact(Number.MAX_SAFE_INTEGER + 1)).toThrow(/9007199254740991/);
    expect(() => price(1e300, "DKK")).toThrow(/exactly/);
  });
});

describe("A percentage", () => {
  it.each([
    [1_000_000, 33.333, 333_330],
    [1_000_000, 0.004, 40],
    [1_000_000, 12.345, 123_450],
    [1_000_000, 33.33333333333333, 333_333],
    [9_007_199_254_740_991, 100, 9_007_199_254_740_991],
    [50, 1, 1],
    [1_000_000, 5e-324, 0],
    [1_000_000_000, 1e-7, 1],
  ])("of %i at %d is %i", (amount, percent, part) => {
    expect(takePercent(amount, percent, roundHalfUp)).toBe(part);
  });

  it.each([
    ["0", "0"],
    ["0.25", "25"],
    ["0.055", "5.5"],
    ["0.07", "7"],
    ["0.2125", "21.25"],
    ["0.123456", "12.3456"],
  ])("of the rate %s is %s", (rate, percent) => {
    expect(toPercent(rate)).toBe(percent);
  });

  it("is rounded half to even under that assumption", () => {
    expect([50, 150, 250, 251].map((amount) => takePercent(amount, 1, roundHalfEven))).toEqual([0, 2, 2, 3]);
    expect([3, 13, 23].map((gross) => toVat(gross, "0.2", roundHalfEven))).toEqual([0, 2, 4]);
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
    expect(toVat(gross, rate, roundHalfUp)).toBe(vat);
  });

  it("is the nearest integer to gross × rate / (1 + rate), rounded half up", () => {
    const rate = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(fc.maxSafeNat(), rate, (gross, millionths) => {
        const vat = BigInt(toVat(gross, (millionths / 1_000_000).toFixed(6), roundHalfUp));
        const [exact, over] = [BigInt(gross) * BigInt(millionths), BigInt(1_000_000 + millionths)];
        expect(2n * exact - 2n * vat * over < over && 2n * vat * over - 2n * exact <= over).toBe(true);
      }),
    );
  });

  it("is exact however large the product", () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect([roundHalfUp(most, most, most), roundHalfEven(most, most, most)]).toEqual([most, most]);
    expect([roundHalfUp(5, 1, 2), roundHalfEven(5, 1, 2)]).toEqual([3, 2]);
  });
});

describe("An amount divided into shares", () => {
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
  it("adds up, is fair to less than a unit, and never exceeds the amount", () => {
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
