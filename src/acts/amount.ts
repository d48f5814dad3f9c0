// Amounts as acts take them: a whole number in the smallest unit, or a PriceAmount, whose currency and decimals must then fit.
// Heading "Common types" (PriceAmount).
import type { Desk } from "../domain/desk.ts";
import { exponentOf } from "../domain/money.ts";
import { found, refuse } from "../domain/refusal.ts";
import type { components } from "../generated/control.ts";

export type Amount = components["schemas"]["Amount"];

/** The currency that an amount names, or the company's. */
export function currencyOf(desk: Desk, amount: Amount): string {
  const named = typeof amount === "number" ? undefined : amount.currency;
  return named ?? found(desk.company.get("company"), "company", "company").currency;
}

/** In minor units of what it settles. */
export function minorUnits(amount: Amount, currency: string, place: string): number {
  if (typeof amount === "number") return amount;
  const { value, currency: given = currency, exponent } = amount;
  if (given !== currency) refuse("CURRENCY_MISMATCH", { given, wanted: currency });
  const right = exponentOf(currency);
  if (exponent === undefined || exponent === right) return value;
  const what = `${currency} has ${right} decimals, not ${exponent}.`;
  return refuse("INVALID_INPUT", { place: `${place}.exponent`, what });
}

/** The same for money that changes hands: nothing is not an amount. */
export function minorUnitsPaid(amount: Amount, currency: string, place: string): number {
  const minor = minorUnits(amount, currency, place);
  return minor > 0 ? minor : refuse("INVALID_INPUT", { place, what: "0 moves no money. Name at least 1." });
}
