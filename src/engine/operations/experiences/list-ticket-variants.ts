// GET /v1/experiences/{experienceId}/ticket-variants. Headings "Experiences", "TicketVariant".

import { showVariant } from "../../domain/catalogue/catalogue-views.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import { readInLanguage } from "../operation.ts";
import { page, pageList } from "../paging.ts";

export const listTicketVariants = readInLanguage("listTicketVariants", (tx, { path, query }, locale) => {
  const { id, ticket_variants } = loadExperience(tx, path.experienceId);
  return page(tx, {
    list: `listTicketVariants/${id}`,
    query,
    ...pageList(ticket_variants),
    show: (variant) => showVariant(tx, variant, locale),
  });
});
