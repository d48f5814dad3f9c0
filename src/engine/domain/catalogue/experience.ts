// Experiences: what the company sells. Heading "Experience"; assumptions: experience-list, experience-get, event-transitions
// (deleting takes the events along, and is refused while active bookings exist).

import { getResources } from "../event/event.ts";
import { deleteEvent, getBookings, getEvents, isUnderWay } from "../event/event-end.ts";
import { getUsedResources } from "../event/sold.ts";
import { reject } from "../kernel/domain-error.ts";
import type { Experience } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { experienceStates, move } from "../kernel/transitions.ts";
import { isUnchanged } from "../kernel/unchanged.ts";
import { mapRates } from "../money/money.ts";
import { mustBeSound } from "./experience-checks.ts";
import { mustShareCurrency } from "./experience-currency.ts";
import { describe, type ExperienceInput } from "./experience-input.ts";

/** Rejects with ID_TAKEN or INVALID_INPUT. */
export function createExperience(tx: Transaction, input: ExperienceInput): Experience {
  if (input.id && tx.experiences.get(input.id)) reject("ID_TAKEN", { kind: "experience", id: input.id });
  // Before it is described, which looks up what it names.
  mustBeSound(tx, input);
  const made = { ...blank, id: input.id ?? tx.newId(), created_at: tx.now, updated_at: tx.now };
  const experience = describe(tx, made, input);
  // Last: it compares the prices of the finished record.
  mustShareCurrency(experience);
  tx.experiences.put(experience);
  tx.emit("experience.created", experience.id);
  return experience;
}

/** Changes what is given. Rejects with WRONG_STATE where it is deleted, or INVALID_INPUT. */
export function updateExperience(
  tx: Transaction,
  experience: Experience,
  change: Partial<ExperienceInput>,
): Experience {
  const { id, state } = experience;
  if (state === "DELETED") {
    reject("WRONG_STATE", { kind: "experience", id, state, wanted: "be changed", from: "ACTIVE, ARCHIVED" });
  }
  mustBeSound(tx, change);
  const changed = { ...describe(tx, experience, change), updated_at: tx.now };
  mustShareCurrency(changed);
  if (isUnchanged(tx, mapRates(experience), mapRates(changed))) return experience;
  // What is sold holds what it held under the old catalogue.
  const used = tx.events.where("experience", id).map((event) => [event, getUsedResources(tx, event)] as const);
  tx.experiences.put(changed);
  for (const [event, resources_used] of used) {
    // Those of the new catalogue, and those that old tickets still hold.
    const resource_ids = [...new Set([...getResources(changed), ...Object.keys(resources_used)])];
    tx.events.put({ ...event, resource_ids, resources_used });
  }
  tx.emit("experience.updated", id);
  return changed;
}

/** It sells nothing any more; its events stay as they are. */
export function archiveExperience(tx: Transaction, experience: Experience): Experience {
  const state = move(experienceStates, experience.id, experience.state, "ARCHIVED");
  const archived = { ...experience, state, updated_at: tx.now };
  tx.experiences.put(archived);
  tx.emit("experience.archived", experience.id);
  return archived;
}

/** With its events. Rejects with HAS_ACTIVE_BOOKINGS while anybody is booked on one. */
export function deleteExperience(tx: Transaction, experience: Experience): Experience {
  const state = move(experienceStates, experience.id, experience.state, "DELETED");
  const count = countBookingsUnderWay(tx, experience);
  if (count !== 0) reject("HAS_ACTIVE_BOOKINGS", { kind: "Experience", id: experience.id, count });
  // After the check over all of them, so that none is deleted in vain.
  for (const event of tx.events.where("experience", experience.id)) deleteEvent(tx, event);
  const deleted = { ...experience, state, updated_at: tx.now };
  tx.experiences.put(deleted);
  tx.emit("experience.deleted", experience.id);
  return deleted;
}

/** Counting a hundred thousand takes a second, and tells nobody more than a thousand do. */
const MOST_COUNTED = 1000;

function countBookingsUnderWay(tx: Transaction, { id }: Experience): number | string {
  let count = 0;
  for (const event of getEvents(tx, id)) {
    count += getBookings(tx, event).filter(isUnderWay).length;
    if (count > MOST_COUNTED) return `more than ${MOST_COUNTED}`;
  }
  return count;
}

/** What an experience has that says nothing of itself. */
const blank: Omit<Experience, "id" | "created_at" | "updated_at"> = {
  state: "ACTIVE",
  name: {},
  location_ids: [],
  ticket_variants: [],
  information_requests: [],
  content_blocks: [],
  opening_rules: [],
};
