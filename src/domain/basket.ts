// What someone wants to book, checked against what the experience offers. Heading "Item"; assumption: booking-item-unknown.
import type { Experience, Item, Offer, Variant } from "./records.ts";
import { refuse } from "./refusal.ts";

export interface BasketLine<O extends Offer> {
  offer: O;
  quantity: number;
}

export interface Basket {
  variants: BasketLine<Variant>[];
  addOns: BasketLine<Offer>[];
}

/** Every offer of an experience by id; an add-on offered with several variants is one offer. */
export function offersOf(experience: Experience): ReadonlyMap<string, Offer> {
  const seen = remembered.get(experience);
  if (seen) return seen;
  const offers = experience.ticket_variants.flatMap((variant): Offer[] => [variant, ...variant.add_on_variants]);
  const byId = new Map(offers.map((offer) => [offer.id, offer]));
  remembered.set(experience, byId);
  return byId;
}

/** A record is never changed in place, so what follows from one stays true. */
const remembered = new WeakMap<Experience, ReadonlyMap<string, Offer>>();

export function readBasket(experience: Experience, items: readonly Item[], place = "body.items"): Basket {
  const basket = read(experience, items, place);
  if (basket.variants.length === 0) {
    refuse("INVALID_ITEM", { place, what: "only add-ons were asked for. Add at least one ticket variant." });
  }
  mustGoTogether(
    basket,
    basket.variants.map(({ offer }) => offer),
    place,
  );
  return basket;
}

/** What is added to a booking: an add-on's variant may be in it already. */
export function readAdditions(experience: Experience, items: readonly Item[], held: readonly Item[]): Basket {
  const basket = read(experience, items, "body.items");
  const inside = experience.ticket_variants.filter(({ id }) => held.some(({ type_id }) => type_id === id));
  mustGoTogether(basket, [...basket.variants.map(({ offer }) => offer), ...inside], "body.items");
  return basket;
}

function read(experience: Experience, items: readonly Item[], place: string): Basket {
  const basket: Basket = { variants: [], addOns: [] };
  items.forEach((item, index) => {
    const at = `${place}.${index}`;
    if (item.item_type === "VARIANT") addTo(basket.variants, variantOf(experience, item, at), item.quantity);
    else if (item.item_type === "ADDON") addTo(basket.addOns, addOnOf(experience, item, at), item.quantity);
    else {
      const what = `${item.item_type} can't be booked; use VARIANT or ADDON.`;
      refuse("INVALID_ITEM", { place: `${at}.item_type`, what });
    }
  });
  return basket;
}

function mustGoTogether(basket: Basket, variants: readonly Variant[], place: string): void {
  for (const { offer } of basket.addOns) {
    if (variants.some((variant) => offers(variant, offer.id))) continue;
    const what = `add-on ${offer.id} comes only with a ticket variant that is not in the basket.`;
    refuse("INVALID_ITEM", { place, what });
  }
}

export function unitsOf({ variants, addOns }: Basket): Record<string, number> {
  return Object.fromEntries([...variants, ...addOns].map(({ offer, quantity }) => [offer.id, quantity]));
}

/** Items with one entry a type, in the order they came. */
export function itemsOf({ variants, addOns }: Basket): Item[] {
  return [
    ...variants.map(({ offer, quantity }) => item(offer.id, "VARIANT", quantity)),
    ...addOns.map(({ offer, quantity }) => item(offer.id, "ADDON", quantity)),
  ];
}

export function mergeItems(items: readonly Item[]): Item[] {
  const merged = new Map<string, Item>();
  for (const each of items) {
    const known = merged.get(each.type_id);
    merged.set(each.type_id, known ? { ...known, quantity: known.quantity + each.quantity } : { ...each });
  }
  return [...merged.values()];
}

export function item(type_id: string, item_type: "VARIANT" | "ADDON", quantity: number): Item {
  return { type_id, item_type, quantity };
}

export function offers(variant: Variant, id: string): boolean {
  return variant.add_on_variants.some((addOn) => addOn.id === id);
}

function addTo<O extends Offer>(lines: BasketLine<O>[], offer: O, quantity: number): void {
  const line = lines.find((known) => known.offer.id === offer.id);
  if (line) line.quantity += quantity;
  else lines.push({ offer, quantity });
}

function variantOf(experience: Experience, item: Item, at: string): Variant {
  const variant = experience.ticket_variants.find(({ id }) => id === item.type_id);
  return variant ?? notOffered(experience, item, at);
}

function addOnOf(experience: Experience, item: Item, at: string): Offer {
  const addOn = experience.ticket_variants
    .flatMap((variant) => variant.add_on_variants)
    .find(({ id }) => id === item.type_id);
  return addOn ?? notOffered(experience, item, at);
}

function notOffered(experience: Experience, item: Item, at: string): never {
  const kind = offersOf(experience).has(item.type_id)
    ? `is offered, but not as ${item.item_type}`
    : "is not offered for this event";
  return refuse("INVALID_ITEM", {
    place: `${at}.type_id`,
    what: `${item.type_id} ${kind}. See GET /v1/experiences/${experience.id}/ticket-variants.`,
  });
}
