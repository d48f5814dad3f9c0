// A host offers something new. Heading "Experience".
import { createExperience as create } from "../domain/experience.ts";
import { act } from "./act.ts";
import { experienceAnswer } from "./answers.ts";

export const createExperience = act("createExperience", (desk, input) => experienceAnswer(desk, create(desk, input)));
