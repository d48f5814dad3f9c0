// An experience is sold no more, but stays readable. Assumption: event-transitions.
import { archiveExperience as end } from "../domain/experience.ts";
import { found } from "../domain/refusal.ts";
import { showExperience } from "../domain/shown.ts";
import { hostTongue } from "./host-tongue.ts";
import { act } from "./act.ts";

export const archiveExperience = act("archiveExperience", (desk, { experience_id }) =>
  showExperience(end(desk, found(desk.experiences.get(experience_id), "experience", experience_id)), hostTongue(desk)));
