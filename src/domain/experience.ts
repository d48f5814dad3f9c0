// Experiences: what the company sells. Heading "Experience"; assumptions: experience-list, experience-get, event-transitions
// (deleting takes the events along, and is refused while active bookings exist).
import type { Desk } from "./desk.ts";
import { resourcesOf } from "./event.ts";
import { bookingsOf, deleteEvent, isUnderWay } from "./event-end.ts";
import { mustBeSound } from "./experience-checks.ts";
import { mustShareCurrency } from "./experience-currency.ts";
import { described, type ExperienceWish } from "./experience-wish.ts";
import type { Experience } from "./records.ts";
import { refuse } from "./refusal.ts";
import { usedOf } from "./sold.ts";
import { experience as cycle, move } from "./transitions.ts";
import { changesNothing } from "./unchanged.ts";

export function createExperience(desk: Desk, wish: ExperienceWish): Experience {
  if (wish.id && desk.experiences.get(wish.id)) refuse("ID_TAKEN", { kind: "experience", id: wish.id });
  mustBeSound(desk, wish);
  const made = { ...blank, id: wish.id ?? desk.newId(), created_at: desk.now, updated_at: desk.now };
  const experience = described(desk, made, wish);
  mustShareCurrency(experience);
  desk.experiences.put(experience);
  desk.tell("experience.created", experience.id);
  return experience;
}

export function updateExperience(desk: Desk, experience: Experience, change: Partial<ExperienceWish>): Experience {
  const { id, state } = experience;
  if (state === "DELETED") {
    refuse("WRONG_STATE", { kind: "experience", id, state, wanted: "be changed", from: "ACTIVE, ARCHIVED" });
  }
  mustBeSound(desk, change);
  const changed = { ...described(desk, experience, change), updated_at: desk.now };
  mustShareCurrency(changed);
  if (changesNothing(desk, experience, changed)) return experience;
  // What is sold holds what it held under the old catalogue.
  const used = desk.events.where("experience", id).map((event) => [event, usedOf(desk, event)] as const);
  desk.experiences.put(changed);
  for (const [event, resources_used] of used) {
    const resource_ids = [...new Set([...resourcesOf(changed), ...Object.keys(resources_used)])];
    desk.events.put({ ...event, resource_ids, resources_used });
  }
  desk.tell("experience.updated", id);
  return changed;
}

export function archiveExperience(desk: Desk, experience: Experience): Experience {
  const state = move(cycle, experience.id, experience.state, "ARCHIVED");
  const archived = { ...experience, state, updated_at: desk.now };
  desk.experiences.put(archived);
  desk.tell("experience.archived", experience.id);
  return archived;
}

export function deleteExperience(desk: Desk, experience: Experience): Experience {
  const state = move(cycle, experience.id, experience.state, "DELETED");
  const events = desk.events.where("experience", experience.id);
  const count = events.flatMap((event) => bookingsOf(desk, event)).filter(isUnderWay).length;
  if (count > 0) refuse("HAS_ACTIVE_BOOKINGS", { kind: "Experience", id: experience.id, count });
  for (const event of events) deleteEvent(desk, event);
  const deleted = { ...experience, state, updated_at: desk.now };
  desk.experiences.put(deleted);
  desk.tell("experience.deleted", experience.id);
  return deleted;
}

const blank: Omit<Experience, "id" | "created_at" | "updated_at"> = {
  state: "ACTIVE",
  name: {},
  location_ids: [],
  ticket_variants: [],
  information_requests: [],
  content_blocks: [],
  opening_rules: [],
};
