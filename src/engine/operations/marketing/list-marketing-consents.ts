// GET /v1/marketing-consents. Assumptions: consent-fields, consent-query.
import { showConsent } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";

export const listMarketingConsents = read("listMarketingConsents", (tx, { query }) =>
  page(tx, {
    list: "listMarketingConsents",
    query,
    keyOf: (consent) => consent.created_at,
    behind: (past) => tx.consents.walk("created", past ? { past } : {}),
    show: showConsent,
  }),
);
