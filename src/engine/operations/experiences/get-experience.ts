// GET /v1/experiences/{experienceId}. Heading "Experiences"; assumption: experience-get.

import { showExperience } from "../../domain/catalogue/catalogue-views.ts";
import { experienceById } from "../../domain/kernel/lookups.ts";
import { readInLanguage } from "../operation.ts";

export const getExperience = readInLanguage("getExperience", (tx, { path }, locale) => {
  return showExperience(tx, experienceById(tx, path.experienceId), locale);
});
