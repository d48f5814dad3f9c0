// What of a record the public sees: the schemas of the specification, with what is ours left out.
// Assumptions: booking-customer-names, info-request-question, step-image, ticket-url, journal-fields, posting-fields.
import type { components } from "../generated/api.ts";
import type { Desk } from "./desk.ts";
import { inLanguage } from "./language.ts";
import { zoneOf } from "./location.ts";
import { vatWithin, price } from "./money.ts";
import type * as records from "./records.ts";

type Schemas = components["schemas"];

export interface Tongue {
  language: string;
  storefront: readonly string[];
}

export function showBooking(booking: records.Booking): Schemas["Booking"] {
  const {
    items: _items,
    order_id: _order,
    answers: _answers,
    lapses_at: _lapses,
    pending_tickets: _tickets,
    ...shown
  } = booking;
  return shown;
}

export function showTicket(desk: Desk, { id, status, items, check_in }: records.Ticket): Schemas["Ticket"] {
  return {
    id,
    urls: [{ type: "PDF", url: desk.address(`tickets/${id}.pdf`) }],
    status,
    items,
    ...(check_in ? { check_in } : {}),
  };
}

export function showEvent(event: records.ScheduledEvent): Schemas["Event"] {
  const { id, state, visibility, experience_id, capacity, created_at, updated_at, metadata } = event;
  const sessions = event.sessions.map(({ starts_at: _start, ends_at: _end, ...session }) => session);
  return {
    id,
    state,
    visibility,
    experience_id,
    capacity,
    sessions,
    created_at,
    updated_at,
    ...(metadata ? { metadata } : {}),
  };
}

export function showExperience(
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
    ...(media ? { media } : {}),
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

export function showVariant(variant: records.Variant, tongue: Tongue): Schemas["TicketVariant"] {
  const addOns = variant.add_on_variants.map((addOn) => showOffer(addOn, tongue));
  return { ...showOffer(variant, tongue), ...(addOns.length > 0 ? { add_on_variants: addOns } : {}) };
}

function showOffer(offer: records.Offer, { language, storefront }: Tongue): Schemas["AddOnVariant"] {
  const vat = vatWithin(offer.price.value, offer.vat_rate);
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
  if (type !== "STEP_LIST") return say(block.text) === "" ? undefined : { type, handle, text: say(block.text) };
  const steps = (block.steps ?? []).map((step) => ({
    title: say(step.title),
    description: say(step.description),
    ...(step.image ? { image: imageOf(desk, step.image) } : {}),
  }));
  if (steps.length === 0) return undefined;
  return { type, handle, ...(say(block.title) === "" ? {} : { title: say(block.title) }), steps };
}

type Image = NonNullable<records.ContentStep["image"]>;

function imageOf(desk: Desk, image: Image): Image {
  return desk.assumes("step-image") === "string" ? (image.url as unknown as Image) : image;
}

export function showLocation(desk: Desk, location: records.Location): Schemas["Location"] {
  const { removed_at: _, ...shown } = location;
  return { ...shown, timezone: zoneOf(desk, location) };
}

export function showOrder(order: records.Order): Schemas["Order"] {
  const { currency: _c, line_items: _l, transactions: _t, refunds: _r, earned_at: _e, ...shown } = order;
  return shown;
}

export function showLine(line: records.OrderLine): Schemas["LineItem"] {
  const { vat_rate: _v, gross: _g, vat: _a, captured: _c, refunded: _r, recognised: _n, ...shown } = line;
  return shown;
}

export function showRefund({ shares: _, ...refund }: records.OrderRefund): Schemas["Refund"] {
  return refund;
}

export function showConsent({ created_at: _, ...consent }: records.Consent): Schemas["MarketingConsent"] {
  return consent;
}

export function showEntry(desk: Desk, { document_due_at: _, ...entry }: records.JournalEntry): Schemas["JournalEntry"] {
  const documents = entry.documents.map((document) => ({
    ...document,
    url: desk.address(`documents/${document.id}.pdf`),
  }));
  const postings = desk.assumes("posting-fields") === "signed" ? entry.postings.map(signed) : entry.postings;
  return { ...entry, documents, postings };
}

/** A credit as a negative amount (the other answer to posting-fields). */
function signed({ direction, ...posting }: records.Posting): records.Posting {
  const value = direction === "CREDIT" ? -posting.amount.value : posting.amount.value;
  return { ...posting, amount: { ...posting.amount, value } } as records.Posting;
}

export function showSubscription({
  secret: _,
  previous_secret: _p,
  ...shown
}: records.Subscription): Schemas["WebhookSubscription"] {
  return shown;
}
