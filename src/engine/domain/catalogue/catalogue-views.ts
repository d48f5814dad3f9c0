// Shows experiences, their tickets, questions and content to the storefront, in one language. Headings "Experience",
// "TicketVariant", "Content block"; assumptions: info-request-question, step-image, money-rounding.
import type { ServiceSchemas } from "../../../contract/schemas.ts";
import { optional } from "../../../platform/optional.ts";
import type * as records from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getRounding, price, toVat } from "../money/money.ts";
import { getLanguages, translate } from "./language.ts";

/**
 * `language` is the negotiated one. `storefront` lists the company's languages; the first replaces a missing
 * translation.
 */
export interface NegotiatedLocale {
  language: string;
  storefront: readonly string[];
}

/** Replaces the URL of a fixture's picture, such as `sandbox:canal.png`, with the address that serves it. */
function addUrl<File extends { url: string }>(tx: Transaction, file: File): File {
  const [, name] = /^sandbox:(.+)$/.exec(file.url) ?? [];
  return name === undefined ? file : { ...file, url: tx.address(`media/${name}`) };
}

/** Shows an experience to the host, in the storefront's first language. */
export function showExperienceForHost(tx: Transaction, experience: records.Experience): ServiceSchemas["Experience"] {
  const storefront = getLanguages(tx);
  return showExperience(tx, experience, { language: storefront[0] ?? "en", storefront });
}

/** Shows an experience as GET /v1/experiences returns it; variants, questions and content have addresses of their own. */
export function showExperience(
  tx: Transaction,
  experience: records.Experience,
  { language, storefront }: NegotiatedLocale,
): ServiceSchemas["Experience"] {
  const { id, state, created_at, updated_at, tag_ids, media, metadata, name, description } = experience;
  return {
    id,
    state,
    name: translate(name, language, storefront),
    created_at,
    updated_at,
    ...(description ? { description: translate(description, language, storefront) } : {}),
    ...(tag_ids ? { tag_ids } : {}),
    ...(media ? { media: media.map((file) => addUrl(tx, file)) } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/** Returns the text twice, as `label` and as `question` (assumption: info-request-question). */
export function showQuestion(
  question: records.Question,
  { language, storefront }: NegotiatedLocale,
): ServiceSchemas["InformationRequest"] {
  const label = translate(question.label, language, storefront);
  return {
    id: question.id,
    type: question.type,
    required: question.required,
    scope: question.scope,
    label,
    question: label,
  };
}

/** Shows a variant with its add-ons. A variant without add-ons has no `add_on_variants`. */
export function showVariant(
  tx: Transaction,
  variant: records.Variant,
  locale: NegotiatedLocale,
): ServiceSchemas["TicketVariant"] {
  const addOns = variant.add_on_variants.map((addOn) => showOffer(tx, addOn, locale));
  return { ...showOffer(tx, variant, locale), ...(addOns.length > 0 ? { add_on_variants: addOns } : {}) };
}

function showOffer(
  tx: Transaction,
  offer: records.Offer,
  { language, storefront }: NegotiatedLocale,
): ServiceSchemas["AddOnVariant"] {
  // The VAT is that of one unit. An order rounds its own sums, so units need not add up to it.
  const vat = toVat(offer.price.value, offer.vat_rate, getRounding(tx));
  return {
    id: offer.id,
    name: translate(offer.name, language, storefront),
    price: offer.price,
    vat_amount: price(vat, offer.price.currency),
    ...(offer.description ? { description: translate(offer.description, language, storefront) } : {}),
  };
}

/** Returns undefined for a block without content, which is left out. */
export function showBlock(
  tx: Transaction,
  block: records.ContentBlock,
  locale: NegotiatedLocale,
): ServiceSchemas["ContentBlock"] | undefined {
  const toText = (text: records.Localized | undefined) =>
    text ? translate(text, locale.language, locale.storefront) : "";
  const { handle } = block;
  // A fixture may have a type that is not specified yet, which is shown unchanged.
  const type = block.type as "TEXT" | "STEP_LIST";
  if (type !== "STEP_LIST")
    return toText(block.text).trim() === "" ? undefined : { type, handle, text: toText(block.text) };
  const steps = (block.steps ?? []).map((step) => ({
    title: toText(step.title),
    ...optional({ description: omitBlank(toText(step.description)) }),
    ...(step.image ? { image: toImage(tx, step.image) } : {}),
  }));
  if (steps.length === 0) return undefined;
  return { type, handle, ...optional({ title: omitBlank(toText(block.title)) }), steps };
}

const omitBlank = (text: string): string | undefined => (text.trim() === "" ? undefined : text);

type Image = NonNullable<records.ContentStep["image"]>;

function toImage(tx: Transaction, file: Image): Image {
  const image = addUrl(tx, file);
  // The other value breaks the schema on purpose, so a cast is needed.
  return tx.assumes("step-image") === "string" ? (image.url as unknown as Image) : image;
}
