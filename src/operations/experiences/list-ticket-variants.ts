// GET /v1/experiences/{experienceId}/ticket-variants. Headings "Experiences", "TicketVariant".
import { showVariant } from "../../domain/shown-catalogue.ts";
import { readInLanguage } from "../operation.ts";
import { listed, page } from "../paging.ts";
import { publicExperience } from "../tongue.ts";

export const listTicketVariants = readInLanguage("listTicketVariants", (desk, { path, query }, tongue) => {
  const { id, ticket_variants } = publicExperience(desk, path.experienceId);
  return page(desk, {
    list: `listTicketVariants/${id}`,
    cursor: query.cursor,
    limit: query.limit ?? 100,
    ...listed(ticket_variants),
    show: (variant) => showVariant(desk, variant, tongue),
  });
});
