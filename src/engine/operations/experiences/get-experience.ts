// GET /v1/experiences/{experienceId}. Heading "Experiences"; assumption: experience-get.

import { showExperience } from "../../domain/catalogue/catalogue-views.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import { readInLanguage } from "../operation.ts";

export const getExperience = readInLanguage("getExperience", (tx, { path }, locale) => {
  return showExperience(tx, loadExperience(tx, path.experienceId), locale);
});
