// A new experience. Heading "Event kinds".
import type { Kind } from "./kind.ts";
import { ofExperience } from "./payloads.ts";

export const experienceCreated: Kind<"v1.experience.created"> = {
  kind: "v1.experience.created",
  facts: ["experience.created"],
  payload: ofExperience,
};
