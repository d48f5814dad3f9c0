// GET /v1/marketing-consents/{consentId}. Assumption: consent-get.
import { found } from "../../domain/refusal.ts";
import { showConsent } from "../../domain/shown.ts";
import { read } from "../operation.ts";

export const getMarketingConsent = read("getMarketingConsent", (desk, { path }) =>
  showConsent(found(desk.consents.get(path.consentId), "marketing consent", path.consentId)),
);
