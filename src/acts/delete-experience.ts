// An experience is taken away, and its events with it; refused while active bookings exist. Assumption: event-transitions.
import { deleteExperience as end } from "../domain/experience.ts";
import { found } from "../domain/refusal.ts";
import { showExperience } from "../domain/shown.ts";
import { hostTongue } from "./host-tongue.ts";
import { act } from "./act.ts";

export const deleteExperience = act("deleteExperience", (desk, { experience_id }) =>
  showExperience(end(desk, found(desk.experiences.get(experience_id), "experience", experience_id)), hostTongue(desk)));
