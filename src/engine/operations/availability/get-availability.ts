// POST /v1/experiences/{experienceId}/availabilities/{availabilityId}, a read. Assumptions: availability-path, availability-shape.

import {
  computeSittingAvailability,
  computeSlotAvailability,
  toSittingId,
  toSlotId,
} from "../../domain/event/availability.ts";
import { listFreeSlots } from "../../domain/event/timeslots.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { after, before, fromLocal } from "../../domain/kernel/instant.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import { read } from "../operation.ts";

export const getAvailability = read("getAvailability", (tx, { path }) => {
  const experience = loadExperience(tx, path.experienceId);
  // The id is opaque to clients and decoded only here; see availability.ts.
  const [kind, first, second, third] = Buffer.from(path.availabilityId, "base64url").toString().split("\n");
  if (kind === "sitting") {
    const event = tx.events.get(first ?? "");
    const session = event?.sessions.find(({ id }) => id === second);
    if (
      event &&
      session &&
      !event.deleted_at &&
      event.experience_id === experience.id &&
      // Base64 has several spellings of one text; only one of them is the id.
      toSittingId(event, session) === path.availabilityId
    ) {
      return computeSittingAvailability(tx, event, session, experience);
    }
  }
  if (kind === "slot" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(third ?? "")) {
    const near = fromLocal(third ?? "", "UTC");
    const slot = listFreeSlots(tx, experience, before(near, "P1D"), after(near, "P1D")).find(
      (each) => toSlotId(experience, each) === path.availabilityId,
    );
    if (slot) return computeSlotAvailability(tx, slot, experience);
  }
  return reject("NOT_FOUND", { kind: "availability", id: path.availabilityId });
});
