// An experience is sold no more, but stays readable. Assumption: event-transitions.
import { archiveExperience as archive } from "../domain/catalogue/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";
import { experienceCalled } from "./named.ts";

export const archiveExperience = act("archiveExperience", (tx, { experience_id }) =>
  experienceAnswer(tx, archive(tx, experienceCalled(tx, experience_id))),
);
