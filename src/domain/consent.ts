// Marketing consents: every submission is told, also for a known e-mail. Heading "Event kinds", v1.marketing_consent.created.
import type { Desk } from "./desk.ts";
import type { Consent } from "./records.ts";
import { refuse } from "./refusal.ts";

export type ConsentWish = Pick<Consent, "full_name" | "email"> & Partial<Pick<Consent, "id" | "source" | "references">>;

/** A known e-mail keeps its consent, which is brought up to date and told again. */
export function submitConsent(desk: Desk, { id, ...wish }: ConsentWish): Consent {
  if (id && desk.consents.get(id)) refuse("ID_TAKEN", { kind: "marketing consent", id });
  const known = desk.consents.where("email", wish.email.toLowerCase())[0];
  const consent: Consent = {
    id: known?.id ?? id ?? desk.newId(),
    company_id: desk.company.get("company")?.company_id ?? "",
    source: "CHECKOUT",
    created_at: desk.now,
    ...known,
    ...wish,
  };
  desk.consents.put(consent);
  desk.tell("marketing_consent.created", consent.id);
  return consent;
}
