// Acts on experiences. Heading "Experience"; assumption: event-transitions (archive and delete).
import {
  archiveExperience,
  createExperience,
  deleteExperience,
  updateExperience,
} from "../domain/catalogue/experience.ts";
import { act } from "./act.ts";
import { experienceById } from "./lookups.ts";
import { experienceResult } from "./results.ts";

export const experienceActs = [
  act("createExperience", (tx, input) => experienceResult(tx, createExperience(tx, input))),

  act("updateExperience", (tx, { experience_id, ...change }) =>
    experienceResult(tx, updateExperience(tx, experienceById(tx, experience_id), change)),
  ),

  // An archived experience is no longer sold, but can still be read.
  act("archiveExperience", (tx, { experience_id }) =>
    experienceResult(tx, archiveExperience(tx, experienceById(tx, experience_id))),
  ),

  // Deletes its events too. Rejected while active bookings exist.
  act("deleteExperience", (tx, { experience_id }) =>
    experienceResult(tx, deleteExperience(tx, experienceById(tx, experience_id))),
  ),
];
