// Amounts as acts take them: a whole number in the smallest unit, or a PriceAmount, whose currency and decimals must then fit.
// Heading "Common types" (PriceAmount); assumptions: currencies, amounts.

import { found, reject } from "../domain/kernel/domain-error.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { whyNotMoney } from "../domain/money/currency.ts";
import type { components } from "../generated/control.ts";

export type Amount = components["schemas"]["Amount"];

/** The currency that an amount names, or else this one, or the company's. */
export function currencyOf(tx: Transaction, amount: Amount, place: string, usual?: string): string {
  const named = typeof amount === "number" ? undefined : amount.currency;
  const currency = named ?? usual ?? found(tx.company.get("company"), "company", "company").currency;
  mustBeMoney(place, currency);
  return currency;
}

/** In minor units of what it settles. */
export function minorUnits(amount: Amount, currency: string, place: string): number {
  if (typeof amount === "number") return amount;
  const { value, currency: given = currency, exponent } = amount;
  mustBeMoney(place, given, exponent);
  return given === currency ? value : reject("CURRENCY_MISMATCH", { given, wanted: currency });
}

function mustBeMoney(place: string, currency: string, exponent?: number): void {
  const fault = whyNotMoney(currency, exponent);
  if (fault) reject("INVALID_INPUT", { place: `${place}.${fault.member}`, what: fault.what });
}

/** The same for money that changes hands: nothing is not an amount. */
export function minorUnitsPaid(amount: Amount, currency: string, place: string): number {
  const minor = minorUnits(amount, currency, place);
  return minor > 0 ? minor : reject("INVALID_INPUT", { place, what: "0 moves no money. Name at least 1." });
}
