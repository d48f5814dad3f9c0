// Acts on experiences. Heading "Experience"; assumption: event-transitions (archive and delete).
import { showExperienceForHost } from "../domain/catalogue/catalogue-views.ts";
import {
  archiveExperience,
  createExperience,
  deleteExperience,
  updateExperience,
} from "../domain/catalogue/experience.ts";
import { loadExperience } from "../domain/kernel/lookups.ts";
import { act } from "./act.ts";

export const experienceActs = [
  act("createExperience", (tx, input) => showExperienceForHost(tx, createExperience(tx, input))),

  act("updateExperience", (tx, { experience_id, ...change }) =>
    showExperienceForHost(tx, updateExperience(tx, loadExperience(tx, experience_id), change)),
  ),

  // An archived experience is no longer sold, but can still be read.
  act("archiveExperience", (tx, { experience_id }) =>
    showExperienceForHost(tx, archiveExperience(tx, loadExperience(tx, experience_id))),
  ),

  // Deletes its events too. Rejected while active bookings exist.
  act("deleteExperience", (tx, { experience_id }) =>
    showExperienceForHost(tx, deleteExperience(tx, loadExperience(tx, experience_id))),
  ),
];
