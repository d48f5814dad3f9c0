// GET /v1/experiences/{experienceId}. Heading "Experiences"; assumption: experience-get.
import { showExperience } from "../../domain/shown-catalogue.ts";
import { read } from "../operation.ts";
import { publicExperience, tongueOf } from "../tongue.ts";

export const getExperience = read("getExperience", (desk, { path, headers }) => {
  const tongue = tongueOf(desk, headers["accept-language"]);
  return showExperience(publicExperience(desk, path.experienceId), tongue);
});
