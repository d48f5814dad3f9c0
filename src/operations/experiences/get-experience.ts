// GET /v1/experiences/{experienceId}. Heading "Experiences"; assumption: experience-get.
import { showExperience } from "../../domain/shown-catalogue.ts";
import { readInLanguage } from "../operation.ts";
import { publicExperience } from "../tongue.ts";

export const getExperience = readInLanguage("getExperience", (desk, { path }, tongue) => {
  return showExperience(desk, publicExperience(desk, path.experienceId), tongue);
});
