// GET /v1/marketing-consents/{consentId}. Assumption: consent-get.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { showConsent } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getMarketingConsent = read("getMarketingConsent", (tx, { path }) =>
  showConsent(mustExist(tx.consents.get(path.consentId), "marketing consent", path.consentId)),
);
