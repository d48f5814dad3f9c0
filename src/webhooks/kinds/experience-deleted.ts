// An experience was deleted, after its events. Heading "Event kinds".
import type { Kind } from "./kind.ts";
import { ofExperience } from "./payloads.ts";

export const experienceDeleted: Kind<"v1.experience.deleted"> = {
  kind: "v1.experience.deleted",
  facts: ["experience.deleted"],
  payload: ofExperience,
};
