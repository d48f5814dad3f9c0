// Converts a description of an experience to its record: a plain string is in the storefront's first language, and missing
// ids are created. Headings "Experience", "TicketVariant"; assumptions: experience-get, booking-resources.

import { optional } from "../../../platform/optional.ts";
import { pickLocation, readZone } from "../event/sessions.ts";
import { reject } from "../kernel/domain-error.ts";
import { isDuration } from "../kernel/instant.ts";
import type {
  ContentBlock,
  ContentStep,
  Experience,
  Localized,
  Offer,
  OpeningRule,
  Question,
  Variant,
} from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { mustBeMoney } from "../money/currency.ts";
import { mustNotBeRemoved } from "./location.ts";

export type Text = string | Localized;
type OfferInput = Omit<Offer, "id" | "name" | "description"> & { id?: string; name: Text; description?: Text };
export type VariantInput = OfferInput & { seats?: number; add_on_variants?: readonly OfferInput[] };
type StepInput = Omit<ContentStep, "title" | "description"> & { title: Text; description?: Text };
type BlockInput = Omit<ContentBlock, "text" | "title" | "steps"> & {
  text?: Text;
  title?: Text;
  steps?: readonly StepInput[];
};
/** `timezone` is only compared with the location's, never stored. */
type RuleInput = Omit<OpeningRule, "location_id"> & { location_id?: string; timezone?: string };

export interface ExperienceInput
  extends Partial<Pick<Experience, "id" | "tag_ids" | "media" | "metadata" | "location_ids" | "booking_fee">> {
  name: Text;
  description?: Text;
  /** Null removes the cut-off. */
  booking_cutoff?: string | null;
  ticket_variants: readonly VariantInput[];
  information_requests?: readonly (Omit<Question, "id" | "label"> & { id?: string; label: Text })[];
  content_blocks?: readonly BlockInput[];
  opening_rules?: readonly RuleInput[];
}

/**
 * Returns the experience with the given fields of the input. Lists are replaced completely. Rejects with
 * INVALID_INPUT for unknown ids.
 */
export function applyInput(tx: Transaction, experience: Experience, input: Partial<ExperienceInput>): Experience {
  // A plain string is in the language that replaces missing translations.
  const first = tx.company.get("company")?.languages[0] ?? "en";
  const toLocalized = (value: Text): Localized => (typeof value === "string" ? { [first]: value } : value);
  const { name, description, ticket_variants, information_requests, content_blocks, opening_rules } = input;
  const location_ids = getLocations(tx, experience, input.location_ids);
  if (input.booking_fee) mustBeMoney(input.booking_fee.price, "body.booking_fee.price");
  // The cut-off is taken out here, because null in the input removes it.
  const { booking_cutoff: _, ...rest } = experience;
  return {
    ...rest,
    ...toCutoff(experience, input.booking_cutoff),
    ...optional({
      tag_ids: input.tag_ids,
      media: input.media,
      metadata: input.metadata,
      booking_fee: input.booking_fee,
    }),
    location_ids,
    ...optional({
      name: name === undefined ? undefined : toLocalized(name),
      description: description === undefined ? undefined : toLocalized(description),
      ticket_variants: ticket_variants?.map((variant, index) => toVariant(tx, variant, toLocalized, index)),
      information_requests: information_requests?.map((question) => ({
        ...question,
        id: question.id ?? tx.newId(),
        label: toLocalized(question.label),
      })),
      content_blocks: content_blocks?.map((block) => toBlock(block, toLocalized)),
      opening_rules: opening_rules?.map((rule, index) => toRule(tx, rule, location_ids, index)),
    }),
  };
}

function toVariant(
  tx: Transaction,
  input: VariantInput,
  toLocalized: (value: Text) => Localized,
  index: number,
): Variant {
  // A ticket admits one guest by default.
  const { seats = 1, add_on_variants = [], ...offer } = input;
  const path = `body.ticket_variants.${index}`;
  const addOns = add_on_variants.map((addOn, at) => toOffer(tx, addOn, toLocalized, `${path}.add_on_variants.${at}`));
  return { ...toOffer(tx, offer, toLocalized, path), seats, add_on_variants: addOns };
}

function toOffer(tx: Transaction, input: OfferInput, toLocalized: (value: Text) => Localized, path: string): Offer {
  const { name, description, ...offer } = input;
  mustBeMoney(input.price, `${path}.price`);
  // A resource that does not exist would never have units left.
  for (const { resource_id } of input.resources ?? []) {
    if (tx.resources.get(resource_id)) continue;
    reject("INVALID_INPUT", { path: `${path}.resources`, what: `there is no resource ${resource_id}.` });
  }
  const given = description === undefined ? {} : { description: toLocalized(description) };
  return { ...offer, id: input.id ?? tx.newId(), name: toLocalized(name), ...given };
}

function toBlock(
  { text: body, title, steps, ...block }: BlockInput,
  toLocalized: (value: Text) => Localized,
): ContentBlock {
  return {
    ...block,
    ...optional({
      text: body === undefined ? undefined : toLocalized(body),
      title: title === undefined ? undefined : toLocalized(title),
      steps: steps?.map((step) => ({
        ...step,
        title: toLocalized(step.title),
        description: step.description ? toLocalized(step.description) : {},
      })),
    }),
  };
}

function toRule(
  tx: Transaction,
  { timezone, ...rule }: RuleInput,
  locations: readonly string[],
  index: number,
): OpeningRule {
  const path = `body.opening_rules.${index}`;
  const location_id = pickLocation(rule.location_id, locations, path);
  mustNotBeRemoved(tx, location_id);
  // The zone is read only for the rejections of readZone.
  readZone(tx, location_id, timezone, path);
  return { ...rule, location_id };
}

function getLocations(tx: Transaction, experience: Experience, requested: string[] | undefined): string[] {
  const gone = requested?.find((id) => !tx.locations.get(id) || tx.locations.get(id)?.removed_at);
  if (gone) reject("INVALID_INPUT", { path: "body.location_ids", what: `there is no location ${gone}.` });
  // An empty list is valid.
  if (requested) return requested;
  if (experience.location_ids.length > 0) return experience.location_ids;
  // The default is the first location of the company.
  for (const location of tx.locations.walk("created")) return [location.id];
  return [];
}

function toCutoff({ booking_cutoff }: Experience, requested: string | null | undefined): { booking_cutoff?: string } {
  if (requested === undefined) return optional({ booking_cutoff });
  // Null removes the cut-off; a missing field keeps it.
  if (requested === null) return {};
  if (isDuration(requested)) return { booking_cutoff: requested };
  return reject("INVALID_INPUT", {
    path: "body.booking_cutoff",
    what: `${requested} is not a duration such as PT2H.`,
  });
}
