// What a host reads is in the storefront's first language.
import type { Desk } from "../domain/desk.ts";
import type { Tongue } from "../domain/shown.ts";

export function hostTongue(desk: Desk): Tongue {
  const storefront = desk.company.get("company")?.languages ?? ["en"];
  return { language: storefront[0] ?? "en", storefront };
}
