// A marketing consent was submitted, also for an e-mail that is known. Heading "Event kinds"; assumption: payload-consent.
import type { Kind } from "./kind.ts";
import { ofConsent } from "./payloads.ts";

export const marketingConsentCreated: Kind<"v1.marketing_consent.created"> = {
  kind: "v1.marketing_consent.created",
  facts: ["marketing_consent.created"],
  payload: ofConsent,
};
