// The language of an answer, from the request's Accept-Language and the storefront.
import type { Desk } from "../domain/desk.ts";
import { negotiate } from "../domain/language.ts";
import type { Experience } from "../domain/records.ts";
import { found } from "../domain/refusal.ts";
import type { Tongue } from "../domain/shown-catalogue.ts";

export function tongueOf(desk: Desk, header: string | undefined): Tongue {
  const storefront = desk.company.get("company")?.languages ?? ["en"];
  return {
    language: negotiate(header, storefront, desk.assumes("language-mismatch") === "400" ? 400 : 406),
    storefront,
  };
}

/** An experience that the public may read: a deleted one is gone (assumption: experience-get). */
export function publicExperience(desk: Desk, id: string): Experience {
  const experience = desk.experiences.get(id);
  return found(experience?.state === "DELETED" ? undefined : experience, "experience", id);
}
