// A host offers something new. Heading "Experience".
import { createExperience as create } from "../domain/experience.ts";
import { showExperience } from "../domain/shown.ts";
import { hostTongue } from "./host-tongue.ts";
import { act } from "./act.ts";

export const createExperience = act("createExperience", (desk, input) => showExperience(create(desk, input as never), hostTongue(desk)));
