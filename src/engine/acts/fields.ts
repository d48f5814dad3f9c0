// Reads fields of an act's input that the schema alone can't judge: amounts, instants, and fields that exclude each other. An
// amount is a whole number in the smallest unit, or a PriceAmount. Heading "Common types"; assumptions: currencies, amounts.

import type { Schemas } from "../../contract/schemas.ts";
import { mustExist, reject } from "../domain/kernel/domain-error.ts";
import { type Instant, readInstant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { mustBeMoney } from "../domain/money/currency.ts";

export type ActAmount = Schemas["Amount"];

/** The currency of an amount; without one, `byDefault`, or the company's. */
export function getCurrency(tx: Transaction, amount: ActAmount, path: string, byDefault?: string): string {
  const given = typeof amount === "number" ? undefined : amount.currency;
  const currency = given ?? byDefault ?? mustExist(tx.company.get("company"), "company", "company").currency;
  mustBeMoney({ currency }, path);
  return currency;
}

/** Converts an amount to minor units. A PriceAmount must be in this currency, with its number of decimals. */
export function toMinor(amount: ActAmount, currency: string, path: string): number {
  if (typeof amount === "number") return amount;
  const { value, currency: given = currency, exponent } = amount;
  mustBeMoney({ currency: given, exponent }, path);
  return given === currency ? value : reject("CURRENCY_MISMATCH", { given, wanted: currency });
}

/** Converts the amount of a payment, which must not be zero. */
export function toMinorPaid(amount: ActAmount, currency: string, path: string): number {
  const minor = toMinor(amount, currency, path);
  return minor > 0 ? minor : reject("INVALID_INPUT", { path, what: "the amount must be at least 1." });
}

export function parseInstant(text: string, path: string): Instant {
  const what = `${text} is not an instant such as 2030-06-01T09:00:00Z.`;
  return readInstant(text) ?? reject("INVALID_INPUT", { path, what });
}

/** A pending payment or refund has its amount and method already: only its status can be given. */
export function mustBeAlone(id: string, others: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(others).filter((field) => others[field] !== undefined);
  const what = `not allowed with ${id}, which names a pending one. Give only ${id} and status.`;
  if (given.length > 0)
    reject(
      "INVALID_INPUT",
      given.map((field) => ({ path: `body.${field}`, what })),
    );
}
