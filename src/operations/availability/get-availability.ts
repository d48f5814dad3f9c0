// POST /v1/experiences/{experienceId}/availabilities/{availabilityId}, a read. Assumptions: availability-path, availability-shape.
import { sittingAvailability, sittingId, slotAvailability, slotId } from "../../domain/availability.ts";
import { after, before, localToInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { freeSlots } from "../../domain/timeslots.ts";
import { read } from "../operation.ts";
import { publicExperience } from "../tongue.ts";

export const getAvailability = read("getAvailability", (desk, { path }) => {
  const experience = publicExperience(desk, path.experienceId);
  const [kind, first, second, third] = Buffer.from(path.availabilityId, "base64url").toString().split("\n");
  if (kind === "sitting") {
    const event = desk.events.get(first ?? "");
    const session = event?.sessions.find(({ id }) => id === second);
    if (
      event &&
      session &&
      !event.deleted_at &&
      event.experience_id === experience.id &&
      sittingId(event, session) === path.availabilityId
    ) {
      return sittingAvailability(desk, event, session, experience);
    }
  }
  if (kind === "slot" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(third ?? "")) {
    const near = localToInstant(third ?? "", "UTC");
    const slot = freeSlots(desk, experience, before(near, "P1D"), after(near, "P1D")).find(
      (each) => slotId(experience, each) === path.availabilityId,
    );
    if (slot) return slotAvailability(desk, slot, experience);
  }
  return refuse("NOT_FOUND", { kind: "availability", id: path.availabilityId });
});
