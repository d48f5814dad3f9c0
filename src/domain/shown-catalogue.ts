// What the storefront shows, in one language: experiences, their tickets, questions and content. Headings "Experience",
// "TicketVariant", "Content block"; assumptions: info-request-question, step-image, money-rounding.
import type { components } from "../generated/api.ts";
import type { Desk } from "./desk.ts";
import { inLanguage } from "./language.ts";
import { price, roundingOf, vatWithin } from "./money.ts";
import type * as records from "./records.ts";

type Schemas = components["schemas"];

export interface Tongue {
  language: string;
  storefront: readonly string[];
}

/** A picture of a fixture, `sandbox:canal.png`, has the address at which the sandbox serves it. */
function addressed<File extends { url: string }>(desk: Desk, file: File): File {
  const [, name] = /^sandbox:(.+)$/.exec(file.url) ?? [];
  return name === undefined ? file : { ...file, url: desk.address(`media/${name}`) };
}

export function showExperience(
  desk: Desk,
  experience: records.Experience,
  { language, storefront }: Tongue,
): Schemas["Experience"] {
  const { id, state, created_at, updated_at, tag_ids, media, metadata, name, description } = experience;
  return {
    id,
    state,
    name: inLanguage(name, language, storefront),
    created_at,
    updated_at,
    ...(description ? { description: inLanguage(description, language, storefront) } : {}),
    ...(tag_ids ? { tag_ids } : {}),
    ...(media ? { media: media.map((file) => addressed(desk, file)) } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

export function showQuestion(
  question: records.Question,
  { language, storefront }: Tongue,
): Schemas["InformationRequest"] {
  const label = inLanguage(question.label, language, storefront);
  return {
    id: question.id,
    type: question.type,
    required: question.required,
    scope: question.scope,
    label,
    question: label,
  };
}

export function showVariant(desk: Desk, variant: records.Variant, tongue: Tongue): Schemas["TicketVariant"] {
  const addOns = variant.add_on_variants.map((addOn) => showOffer(desk, addOn, tongue));
  return { ...showOffer(desk, variant, tongue), ...(addOns.length > 0 ? { add_on_variants: addOns } : {}) };
}

function showOffer(desk: Desk, offer: records.Offer, { language, storefront }: Tongue): Schemas["AddOnVariant"] {
  const vat = vatWithin(offer.price.value, offer.vat_rate, roundingOf(desk));
  return {
    id: offer.id,
    name: inLanguage(offer.name, language, storefront),
    price: offer.price,
    vat_amount: price(vat, offer.price.currency),
    ...(offer.description ? { description: inLanguage(offer.description, language, storefront) } : {}),
  };
}

/** Undefined for a block without content, which is left out. */
export function showBlock(
  desk: Desk,
  block: records.ContentBlock,
  tongue: Tongue,
): Schemas["ContentBlock"] | undefined {
  const say = (text: records.Localized | undefined) =>
    text ? inLanguage(text, tongue.language, tongue.storefront) : "";
  const { type, handle } = block;
  if (type !== "STEP_LIST") return say(block.text).trim() === "" ? undefined : { type, handle, text: say(block.text) };
  const steps = (block.steps ?? []).map((step) => ({
    title: say(step.title),
    description: say(step.description),
    ...(step.image ? { image: imageOf(desk, step.image) } : {}),
  }));
  if (steps.length === 0) return undefined;
  return { type, handle, ...(say(block.title).trim() === "" ? {} : { title: say(block.title) }), steps };
}

type Image = NonNullable<records.ContentStep["image"]>;

function imageOf(desk: Desk, file: Image): Image {
  const image = addressed(desk, file);
  return desk.assumes("step-image") === "string" ? (image.url as unknown as Image) : image;
}
