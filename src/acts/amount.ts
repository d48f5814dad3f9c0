// Amounts as acts take them: an integer in the smallest unit, or a PriceAmount whose currency must fit.
import type { Desk } from "../domain/desk.ts";
import { exponentOf } from "../domain/money.ts";
import { refuse } from "../domain/refusal.ts";

export type Amount = number | { currency?: string; value: number; exponent?: number };

export function currencyAsked(amount: Amount): string | undefined {
  return typeof amount === "number" ? undefined : amount.currency;
}

export function companyCurrency(desk: Desk): string {
  return desk.company.get("company")?.currency ?? "DKK";
}

export function minorUnits(amount: Amount, currency: string, place: string): number {
  if (typeof amount === "number") return amount;
  if (amount.currency !== undefined && amount.currency !== currency) refuse("CURRENCY_MISMATCH", { given: amount.currency, wanted: currency });
  const exponent = exponentOf(currency);
  if (amount.exponent !== undefined && amount.exponent !== exponent) {
    refuse("INVALID_INPUT", { place: `${place}.exponent`, what: `${currency} has ${exponent} decimals, not ${amount.exponent}.` });
  }
  return amount.value;
}
