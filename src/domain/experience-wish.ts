// An experience as someone describes it, and the record it becomes: a bare text is in the storefront's first language, what has
// no id gets one. Headings "Experience", "TicketVariant"; assumptions: experience-get, booking-resources.
import { whyNotMoney } from "./currency.ts";
import type { Desk } from "./desk.ts";
import { isDuration } from "./instant.ts";
import { optional } from "./optional.ts";
import type {
  ContentBlock,
  ContentStep,
  Experience,
  Localized,
  Offer,
  OpeningRule,
  Price,
  Question,
  Variant,
} from "./records.ts";
import { refuse } from "./refusal.ts";
import { zoneAt } from "./sessions.ts";

type Text = string | Localized;
type OfferWish = Omit<Offer, "id" | "name" | "description"> & { id?: string; name: Text; description?: Text };
export type VariantWish = OfferWish & { seats?: number; add_on_variants?: readonly OfferWish[] };
type StepWish = Omit<ContentStep, "title" | "description"> & { title: Text; description?: Text };
type BlockWish = Omit<ContentBlock, "text" | "title" | "steps"> & {
  text?: Text;
  title?: Text;
  steps?: readonly StepWish[];
};
type RuleWish = Omit<OpeningRule, "location_id"> & { location_id?: string; timezone?: string };

export interface ExperienceWish
  extends Partial<Pick<Experience, "id" | "tag_ids" | "media" | "metadata" | "location_ids" | "booking_fee">> {
  name: Text;
  description?: Text;
  /** Null: none. */
  booking_cutoff?: string | null;
  ticket_variants: readonly VariantWish[];
  information_requests?: readonly (Omit<Question, "id" | "label"> & { id?: string; label: Text })[];
  content_blocks?: readonly BlockWish[];
  opening_rules?: readonly RuleWish[];
}

/** The experience with what the wish says in place of what it said before. */
export function described(desk: Desk, experience: Experience, wish: Partial<ExperienceWish>): Experience {
  const first = desk.company.get("company")?.languages[0] ?? "en";
  const text = (value: Text): Localized => (typeof value === "string" ? { [first]: value } : value);
  const { name, description, ticket_variants, information_requests, content_blocks, opening_rules } = wish;
  const location_ids = locationsFor(desk, experience, wish.location_ids);
  if (wish.booking_fee) checkPrice(wish.booking_fee.price, "body.booking_fee.price");
  const { booking_cutoff: _, ...rest } = experience;
  return {
    ...rest,
    ...cutoffOf(experience, wish.booking_cutoff),
    ...optional({ tag_ids: wish.tag_ids, media: wish.media, metadata: wish.metadata, booking_fee: wish.booking_fee }),
    location_ids,
    ...optional({
      name: name === undefined ? undefined : text(name),
      description: description === undefined ? undefined : text(description),
      ticket_variants: ticket_variants?.map((variant, index) => variantOf(desk, variant, text, index)),
      information_requests: information_requests?.map((question) => ({
        ...question,
        id: question.id ?? desk.newId(),
        label: text(question.label),
      })),
      content_blocks: content_blocks?.map((block) => blockOf(block, text)),
      opening_rules: opening_rules?.map((rule, index) => ruleOf(desk, rule, location_ids, index)),
    }),
  };
}

function variantOf(desk: Desk, wish: VariantWish, text: (value: Text) => Localized, index: number): Variant {
  const { seats = 1, add_on_variants = [], ...offer } = wish;
  const place = `body.ticket_variants.${index}`;
  const addOns = add_on_variants.map((addOn, at) => offerOf(desk, addOn, text, `${place}.add_on_variants.${at}`));
  return { ...offerOf(desk, offer, text, place), seats, add_on_variants: addOns };
}

function offerOf(desk: Desk, wish: OfferWish, text: (value: Text) => Localized, place: string): Offer {
  const { name, description, ...offer } = wish;
  checkPrice(wish.price, `${place}.price`);
  for (const { resource_id } of wish.resources ?? []) {
    if (desk.resources.get(resource_id)) continue;
    refuse("INVALID_INPUT", { place: `${place}.resources`, what: `there is no resource ${resource_id}.` });
  }
  const said = description === undefined ? {} : { description: text(description) };
  return { ...offer, id: wish.id ?? desk.newId(), name: text(name), ...said };
}

/** A currency that there is, with exactly the decimals that it has. */
export function checkPrice({ currency, exponent }: Price, place: string): void {
  const fault = whyNotMoney(currency, exponent);
  if (fault) refuse("INVALID_INPUT", { place: `${place}.${fault.member}`, what: fault.what });
}

function blockOf({ text: body, title, steps, ...block }: BlockWish, text: (value: Text) => Localized): ContentBlock {
  return {
    ...block,
    ...optional({
      text: body === undefined ? undefined : text(body),
      title: title === undefined ? undefined : text(title),
      steps: steps?.map((step) => ({
        ...step,
        title: text(step.title),
        description: step.description ? text(step.description) : {},
      })),
    }),
  };
}

function ruleOf(desk: Desk, { timezone, ...rule }: RuleWish, locations: readonly string[], index: number): OpeningRule {
  const location_id = rule.location_id ?? locations[0] ?? "";
  const place = `body.opening_rules.${index}`;
  zoneAt(desk, location_id, timezone, place);
  return { ...rule, location_id };
}

function locationsFor(desk: Desk, experience: Experience, asked: string[] | undefined): string[] {
  const gone = asked?.find((id) => !desk.locations.get(id) || desk.locations.get(id)?.removed_at);
  if (gone) refuse("INVALID_INPUT", { place: "body.location_ids", what: `there is no location ${gone}.` });
  if (asked) return asked;
  if (experience.location_ids.length > 0) return experience.location_ids;
  for (const location of desk.locations.walk("created")) return [location.id];
  return [];
}

function cutoffOf({ booking_cutoff }: Experience, asked: string | null | undefined): { booking_cutoff?: string } {
  if (asked === undefined) return optional({ booking_cutoff });
  if (asked === null) return {};
  if (isDuration(asked)) return { booking_cutoff: asked };
  return refuse("INVALID_INPUT", { place: "body.booking_cutoff", what: `${asked} is not a duration such as PT2H.` });
}
