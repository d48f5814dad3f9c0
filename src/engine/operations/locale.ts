// Negotiates the language of a response from the request's Accept-Language and the storefront.

import type { NegotiatedLocale } from "../domain/catalogue/catalogue-views.ts";
import { getLanguages, negotiate } from "../domain/catalogue/language.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export function getLocale(tx: Transaction, header: string | undefined): NegotiatedLocale {
  const storefront = getLanguages(tx);
  return {
    language: negotiate(header, storefront, tx.assumes("language-mismatch") === "400" ? 400 : 406),
    storefront,
  };
}
