// A host changes an experience. Heading "Experience".
import { updateExperience as update } from "../domain/experience.ts";
import { found } from "../domain/refusal.ts";
import { showExperience } from "../domain/shown.ts";
import { hostTongue } from "./host-tongue.ts";
import { act } from "./act.ts";

export const updateExperience = act("updateExperience", (desk, { experience_id, ...change }) => {
  const experience = found(desk.experiences.get(experience_id), "experience", experience_id);
  return showExperience(update(desk, experience, change as never), hostTongue(desk));
});
