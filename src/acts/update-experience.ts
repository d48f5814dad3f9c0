// A host changes an experience. Heading "Experience".
import { updateExperience as update } from "../domain/catalogue/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";
import { experienceCalled } from "./named.ts";

export const updateExperience = act("updateExperience", (tx, { experience_id, ...change }) =>
  experienceAnswer(tx, update(tx, experienceCalled(tx, experience_id), change)),
);
