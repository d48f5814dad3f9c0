// GET /v1/experiences/{experienceId}/ticket-variants. Headings "Experiences", "TicketVariant".
import { showVariant } from "../../domain/shown-catalogue.ts";
import { read } from "../operation.ts";
import { listed, page } from "../paging.ts";
import { publicExperience, tongueOf } from "../tongue.ts";

export const listTicketVariants = read("listTicketVariants", (desk, { path, query, headers }) => {
  const tongue = tongueOf(desk, headers["accept-language"]);
  const { id, ticket_variants } = publicExperience(desk, path.experienceId);
  return page(desk, {
    list: `listTicketVariants/${id}`,
    cursor: query.cursor,
    limit: query.limit ?? 100,
    ...listed(ticket_variants),
    show: (variant) => showVariant(desk, variant, tongue),
  });
});
