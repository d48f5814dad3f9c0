// A host changes an experience. Heading "Experience".
import { updateExperience as update } from "../domain/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";
import { experienceCalled } from "./named.ts";

export const updateExperience = act("updateExperience", (desk, { experience_id, ...change }) =>
  experienceAnswer(desk, update(desk, experienceCalled(desk, experience_id), change)),
);
