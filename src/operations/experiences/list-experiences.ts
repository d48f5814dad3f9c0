// GET /v1/experiences. Heading "Experiences"; assumption: experience-list.
import type { Experience } from "../../domain/records.ts";
import { showExperience } from "../../domain/shown-catalogue.ts";
import { readInLanguage } from "../operation.ts";
import { page } from "../paging.ts";

export const listExperiences = readInLanguage("listExperiences", (desk, { query }, tongue) => {
  return page(desk, {
    list: "listExperiences",
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (experience: Experience) => experience.created_at,
    behind: (past) => desk.experiences.walk("created", past ? { past } : {}),
    show: (experience) => showExperience(desk, experience, tongue),
  });
});
