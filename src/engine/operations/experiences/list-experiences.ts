// GET /v1/experiences. Heading "Experiences"; assumption: experience-list.

import { showExperience } from "../../domain/catalogue/catalogue-views.ts";
import type { Experience } from "../../domain/kernel/records.ts";
import { readInLanguage } from "../operation.ts";
import { page } from "../paging.ts";

export const listExperiences = readInLanguage("listExperiences", (tx, { query }, locale) => {
  return page(tx, {
    list: "listExperiences",
    query,
    keyOf: (experience: Experience) => experience.created_at,
    behind: (past) => tx.experiences.walk("created", past ? { past } : {}),
    show: (experience) => showExperience(tx, experience, locale),
  });
});
