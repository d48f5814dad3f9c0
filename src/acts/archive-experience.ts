// An experience is sold no more, but stays readable. Assumption: event-transitions.
import { archiveExperience as archive } from "../domain/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";
import { experienceCalled } from "./named.ts";

export const archiveExperience = act("archiveExperience", (desk, { experience_id }) =>
  experienceAnswer(desk, archive(desk, experienceCalled(desk, experience_id))),
);
