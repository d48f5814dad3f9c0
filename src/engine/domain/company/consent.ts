// Marketing consents: every submission emits a fact, also for a known e-mail. Heading "Event kinds", v1.marketing_consent.created.

import { reject } from "../kernel/domain-error.ts";
import type { Consent } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";

type ConsentInput = Pick<Consent, "full_name" | "email"> & Partial<Pick<Consent, "id" | "source" | "references">>;

/** A known e-mail keeps its consent, which is updated and emits its fact again. */
export function submitConsent(tx: Transaction, { id, ...input }: ConsentInput): Consent {
  if (id && tx.consents.get(id)) reject("ID_TAKEN", { kind: "marketing consent", id });
  const known = tx.consents.where("email", input.email.toLowerCase())[0];
  const consent: Consent = {
    id: known?.id ?? id ?? tx.newId(),
    company_id: tx.company.get("company")?.company_id ?? "",
    source: "CHECKOUT",
    created_at: tx.now,
    ...known,
    ...input,
  };
  tx.consents.put(consent);
  tx.emit("marketing_consent.created", consent.id);
  return consent;
}
