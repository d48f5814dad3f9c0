// An experience is taken away, and its events with it; refused while active bookings exist. Assumption: event-transitions.
import { deleteExperience as remove } from "../domain/catalogue/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";
import { experienceCalled } from "./named.ts";

export const deleteExperience = act("deleteExperience", (tx, { experience_id }) =>
  experienceAnswer(tx, remove(tx, experienceCalled(tx, experience_id))),
);
