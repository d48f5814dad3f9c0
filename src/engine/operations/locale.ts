// The language of a response, from the request's Accept-Language and the storefront.

import type { NegotiatedLocale } from "../domain/catalogue/catalogue-views.ts";
import { negotiate } from "../domain/catalogue/language.ts";
import { found } from "../domain/kernel/domain-error.ts";
import type { Experience } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export function localeOf(tx: Transaction, header: string | undefined): NegotiatedLocale {
  const storefront = tx.company.get("company")?.languages ?? ["en"];
  return {
    language: negotiate(header, storefront, tx.assumes("language-mismatch") === "400" ? 400 : 406),
    storefront,
  };
}

/** An experience that the public may read: a deleted one is gone (assumption: experience-get). */
export function publicExperience(tx: Transaction, id: string): Experience {
  const experience = tx.experiences.get(id);
  return found(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}
