// Creates, updates, archives and deletes experiences. Heading "Experience"; assumptions: experience-list, experience-get,
// event-transitions (deleting takes the events along, and is rejected while active bookings exist).

import { getResources } from "../event/event.ts";
import { deleteEvent, getBookings, getEvents, isUnderWay } from "../event/event-end.ts";
import { getUsedResources } from "../event/sold.ts";
import { reject } from "../kernel/domain-error.ts";
import type { Experience } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { experienceStates, move } from "../kernel/transitions.ts";
import { isUnchanged } from "../kernel/unchanged.ts";
import { mapRates } from "../money/money.ts";
import { mustBeValidExperience } from "./experience-checks.ts";
import { mustShareCurrency } from "./experience-currency.ts";
import { applyInput, type ExperienceInput } from "./experience-input.ts";

/** Rejects with ID_TAKEN or INVALID_INPUT. */
export function createExperience(tx: Transaction, input: ExperienceInput): Experience {
  if (input.id && tx.experiences.get(input.id)) reject("ID_TAKEN", { kind: "experience", id: input.id });
  // The input is checked before it is applied, because applying it looks up the ids that it names.
  mustBeValidExperience(tx, input);
  const draft = { ...EMPTY_EXPERIENCE, id: input.id ?? tx.newId(), created_at: tx.now, updated_at: tx.now };
  const experience = applyInput(tx, draft, input);
  // The currency is checked last: it compares the prices of the finished record.
  mustShareCurrency(experience);
  tx.experiences.put(experience);
  tx.emit("experience.created", experience.id);
  return experience;
}

/** Changes the given fields. Rejects with WRONG_STATE if the experience is deleted, or with INVALID_INPUT. */
export function updateExperience(
  tx: Transaction,
  experience: Experience,
  change: Partial<ExperienceInput>,
): Experience {
  const { id, state } = experience;
  if (state === "DELETED") {
    reject("WRONG_STATE", { kind: "experience", id, state, wanted: "be changed", from: "ACTIVE, ARCHIVED" });
  }
  mustBeValidExperience(tx, change);
  const changed = { ...applyInput(tx, experience, change), updated_at: tx.now };
  mustShareCurrency(changed);
  if (isUnchanged(tx, mapRates(experience), mapRates(changed))) return experience;
  // Sold tickets keep the resources that they held under the old catalogue.
  const used = tx.events.where("experience", id).map((event) => [event, getUsedResources(tx, event)] as const);
  tx.experiences.put(changed);
  for (const [event, resources_used] of used) {
    // The event lists the resources of the new catalogue and those that old tickets still hold.
    const resource_ids = [...new Set([...getResources(changed), ...Object.keys(resources_used)])];
    tx.events.put({ ...event, resource_ids, resources_used });
  }
  tx.emit("experience.updated", id);
  return changed;
}

/** An archived experience sells nothing more; its events stay unchanged. */
export function archiveExperience(tx: Transaction, experience: Experience): Experience {
  const state = move(experienceStates, experience.id, experience.state, "ARCHIVED");
  const archived = { ...experience, state, updated_at: tx.now };
  tx.experiences.put(archived);
  tx.emit("experience.archived", experience.id);
  return archived;
}

/** Deletes an experience with its events. Rejects with HAS_ACTIVE_BOOKINGS while an event has active bookings. */
export function deleteExperience(tx: Transaction, experience: Experience): Experience {
  const state = move(experienceStates, experience.id, experience.state, "DELETED");
  const count = countBookingsUnderWay(tx, experience);
  if (count !== 0) reject("HAS_ACTIVE_BOOKINGS", { kind: "Experience", id: experience.id, count });
  // The events are deleted after the check over all of them, so that none is deleted in vain.
  for (const event of tx.events.where("experience", experience.id)) deleteEvent(tx, event);
  const deleted = { ...experience, state, updated_at: tx.now };
  tx.experiences.put(deleted);
  tx.emit("experience.deleted", experience.id);
  return deleted;
}

/** Counting stops here, because counting 100,000 bookings takes a second and a larger number is no help. */
const MAX_COUNTED_BOOKINGS = 1000;

function countBookingsUnderWay(tx: Transaction, { id }: Experience): number | string {
  let count = 0;
  for (const event of getEvents(tx, id)) {
    count += getBookings(tx, event).filter(isUnderWay).length;
    if (count > MAX_COUNTED_BOOKINGS) return `more than ${MAX_COUNTED_BOOKINGS}`;
  }
  return count;
}

/** The default values of an experience. */
const EMPTY_EXPERIENCE: Omit<Experience, "id" | "created_at" | "updated_at"> = {
  state: "ACTIVE",
  name: {},
  location_ids: [],
  ticket_variants: [],
  information_requests: [],
  content_blocks: [],
  opening_rules: [],
};
