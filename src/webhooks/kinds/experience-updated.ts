// An experience was changed, or archived. Heading "Event kinds"; assumptions: payload-experience-updated, checkout-kinds
// (archiving).
import type { Kind } from "./kind.ts";
import { ofExperience } from "./payloads.ts";

export const experienceUpdated: Kind<"v1.experience.updated"> = {
  kind: "v1.experience.updated",
  facts: ["experience.updated", "experience.archived"],
  payload: ofExperience,
};
