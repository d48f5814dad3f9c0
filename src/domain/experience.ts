// Experiences: what the company sells. Heading "Experience"; assumptions: experience-list, experience-get, event-transitions
// (deleting takes the events along, and is refused while active bookings exist).
import type { Desk } from "./desk.ts";
import { bookingsOf, deleteEvent, isLive, resourcesOf } from "./event.ts";
import { isDuration } from "./instant.ts";
import type {
  ContentBlock,
  ContentStep,
  Experience,
  Localized,
  Offer,
  OpeningRule,
  Question,
  Variant,
} from "./records.ts";
import { refuse } from "./refusal.ts";
import { experience as cycle, move } from "./transitions.ts";

type Text = string | Localized;
type OfferWish = Omit<Offer, "id" | "name" | "description"> & { id?: string; name: Text; description?: Text };
export type VariantWish = OfferWish & { seats?: number; add_on_variants?: readonly OfferWish[] };
type StepWish = Omit<ContentStep, "title" | "description"> & { title: Text; description: Text };
type BlockWish = Omit<ContentBlock, "text" | "title" | "steps"> & {
  text?: Text;
  title?: Text;
  steps?: readonly StepWish[];
};

export interface ExperienceWish
  extends Partial<
    Pick<Experience, "id" | "tag_ids" | "media" | "metadata" | "location_ids" | "booking_fee" | "booking_cutoff">
  > {
  name: Text;
  description?: Text;
  ticket_variants: readonly VariantWish[];
  information_requests?: readonly (Omit<Question, "id" | "label"> & { id?: string; label: Text })[];
  content_blocks?: readonly BlockWish[];
  opening_rules?: readonly (Omit<OpeningRule, "location_id"> & { location_id?: string })[];
}

export function createExperience(desk: Desk, wish: ExperienceWish): Experience {
  if (wish.id && desk.experiences.get(wish.id)) refuse("ID_TAKEN", { kind: "experience", id: wish.id });
  const experience = described(
    desk,
    { ...blank, id: wish.id ?? desk.newId(), created_at: desk.now, updated_at: desk.now },
    wish,
  );
  desk.experiences.put(experience);
  desk.tell("experience.created", experience.id);
  return experience;
}

export function updateExperience(desk: Desk, experience: Experience, change: Partial<ExperienceWish>): Experience {
  if (experience.state === "DELETED")
    refuse("WRONG_STATE", {
      kind: "experience",
      id: experience.id,
      state: experience.state,
      wanted: "changed",
      from: "ACTIVE, ARCHIVED",
    });
  const changed = { ...described(desk, experience, change), updated_at: desk.now };
  desk.experiences.put(changed);
  const resource_ids = resourcesOf(changed);
  for (const event of desk.events.where("experience", experience.id)) desk.events.put({ ...event, resource_ids });
  desk.tell("experience.updated", experience.id);
  return changed;
}

export function archiveExperience(desk: Desk, experience: Experience): Experience {
  const archived = {
    ...experience,
    state: move(cycle, experience.id, experience.state, "ARCHIVED"),
    updated_at: desk.now,
  };
  desk.experiences.put(archived);
  desk.tell("experience.archived", experience.id);
  return archived;
}

export function deleteExperience(desk: Desk, experience: Experience): Experience {
  const state = move(cycle, experience.id, experience.state, "DELETED");
  const events = desk.events.where("experience", experience.id);
  const open = events.filter((event) => event.state !== "COMPLETED").flatMap((event) => bookingsOf(desk, event));
  const count = open.filter((booking) => isLive(booking) || booking.status === "PROCESSING").length;
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

/** The experience with what the wish says in place of what it said before. */
function described(desk: Desk, experience: Experience, wish: Partial<ExperienceWish>): Experience {
  const text = (value: Text): Localized =>
    typeof value === "string" ? { [desk.company.get("company")?.languages[0] ?? "en"]: value } : value;
  const {
    id: _,
    name,
    description,
    ticket_variants,
    information_requests,
    content_blocks,
    opening_rules,
    ...plain
  } = wish;
  const location_ids =
    plain.location_ids ?? (experience.location_ids.length > 0 ? experience.location_ids : firstLocation(desk));
  checkReferences(desk, location_ids, plain.booking_cutoff);
  return {
    ...experience,
    ...plain,
    location_ids,
    ...(name === undefined ? {} : { name: text(name) }),
    ...(description === undefined ? {} : { description: text(description) }),
    ...(ticket_variants ? { ticket_variants: ticket_variants.map((variant) => variantOf(desk, variant, text)) } : {}),
    ...(information_requests
      ? {
          information_requests: information_requests.map((question) => ({
            ...question,
            id: question.id ?? desk.newId(),
            label: text(question.label),
          })),
        }
      : {}),
    ...(content_blocks ? { content_blocks: content_blocks.map((block) => blockOf(block, text)) } : {}),
    ...(opening_rules
      ? {
          opening_rules: opening_rules.map((rule) => ({
            ...rule,
            location_id: rule.location_id ?? location_ids[0] ?? "",
          })),
        }
      : {}),
  };
}

function variantOf(
  desk: Desk,
  { id, seats = 1, add_on_variants = [], ...wish }: VariantWish,
  text: (value: Text) => Localized,
): Variant {
  return {
    ...offerOf(desk, { ...wish, ...(id ? { id } : {}) }, text),
    seats,
    add_on_variants: add_on_variants.map((addOn) => offerOf(desk, addOn, text)),
  };
}

function offerOf(desk: Desk, { name, description, ...wish }: OfferWish, text: (value: Text) => Localized): Offer {
  for (const { resource_id } of wish.resources ?? []) {
    if (!desk.resources.get(resource_id))
      refuse("INVALID_INPUT", { place: "body.ticket_variants", what: `there is no resource ${resource_id}.` });
  }
  return {
    ...wish,
    id: wish.id ?? desk.newId(),
    name: text(name),
    ...(description === undefined ? {} : { description: text(description) }),
  };
}

function blockOf({ text: body, title, steps, ...block }: BlockWish, text: (value: Text) => Localized): ContentBlock {
  return {
    ...block,
    ...(body === undefined ? {} : { text: text(body) }),
    ...(title === undefined ? {} : { title: text(title) }),
    ...(steps
      ? { steps: steps.map((step) => ({ ...step, title: text(step.title), description: text(step.description) })) }
      : {}),
  };
}

function firstLocation(desk: Desk): string[] {
  for (const location of desk.locations.walk("created")) return [location.id];
  return [];
}

function checkReferences(desk: Desk, locationIds: readonly string[], cutoff: string | undefined): void {
  for (const id of locationIds) {
    if (!desk.locations.get(id))
      refuse("INVALID_INPUT", { place: "body.location_ids", what: `there is no location ${id}.` });
  }
  if (cutoff !== undefined && !isDuration(cutoff))
    refuse("INVALID_INPUT", { place: "body.booking_cutoff", what: `${cutoff} is not a duration such as PT2H.` });
}
