// A host offers something new. Heading "Experience".
import { createExperience as create } from "../domain/catalogue/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";

export const createExperience = act("createExperience", (tx, input) => experienceAnswer(tx, create(tx, input)));
