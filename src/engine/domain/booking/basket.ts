// Reads the items of a booking request and checks them against the offers of the experience. Heading "Item"; assumption:
// booking-item-unknown.

import { reject } from "../kernel/domain-error.ts";
import type { Experience, Item, Offer, Variant } from "../kernel/records.ts";

interface BasketLine<O extends Offer> {
  offer: O;
  quantity: number;
}

/** The items of a request together with their offers. */
export interface Basket {
  variants: BasketLine<Variant>[];
  addOns: BasketLine<Offer>[];
}

/** The offers of a basket by id. */
export const toOffers = ({ variants, addOns }: Basket): ReadonlyMap<string, Offer> =>
  new Map([...variants, ...addOns].map(({ offer }) => [offer.id, offer]));

/** Every offer of an experience by id; an add-on offered with several variants is one offer. */
export function getOffers(experience: Experience): ReadonlyMap<string, Offer> {
  const seen = remembered.get(experience);
  if (seen) return seen;
  const offers = experience.ticket_variants.flatMap((variant): Offer[] => [variant, ...variant.add_on_variants]);
  const byId = new Map(offers.map((offer) => [offer.id, offer]));
  remembered.set(experience, byId);
  return byId;
}

/** Offers are cached by record, which is safe because a record is never changed in place. */
const remembered = new WeakMap<Experience, ReadonlyMap<string, Offer>>();

/**
 * Reads the basket of a new booking. Rejects with INVALID_ITEM if it has no ticket, or an add-on without its ticket
 * variant.
 */
export function readBasket(experience: Experience, items: readonly Item[], path = "body.items"): Basket {
  mustBeCountable(items, path);
  const basket = readItems(experience, items, path);
  if (basket.variants.length === 0) {
    reject("INVALID_ITEM", { path, what: "the request has add-ons only. Add at least one ticket variant." });
  }
  mustGoTogether(
    basket,
    basket.variants.map(({ offer }) => offer),
    path,
  );
  return basket;
}

/** The specification types quantities as int32. */
const MAX_UNITS = 2 ** 31 - 1;

/** Rejects when the quantities of one type add up to more than int32 can hold. */
export function mustBeCountable(items: readonly Item[], path: string): void {
  const units = new Map<string, number>();
  const problems = items.flatMap(({ type_id, quantity }, index): ItemProblem[] => {
    const all = (units.get(type_id) ?? 0) + quantity;
    units.set(type_id, all);
    if (all <= MAX_UNITS) return [];
    return [{ path: `${path}.${index}.quantity`, what: `${all} of ${type_id} are more than ${MAX_UNITS}.` }];
  });
  if (problems.length > 0) reject("INVALID_INPUT", problems);
}

/** Reads the items to add to a booking. The variant of an add-on may be in the booking already. */
export function readAdditions(experience: Experience, items: readonly Item[], held: readonly Item[]): Basket {
  const basket = readItems(experience, items, "body.items");
  // An add-on may belong to a ticket that was bought before.
  const inside = experience.ticket_variants.filter(({ id }) => held.some(({ type_id }) => type_id === id));
  mustGoTogether(basket, [...basket.variants.map(({ offer }) => offer), ...inside], "body.items");
  return basket;
}

interface ItemProblem extends Record<string, string> {
  path: string;
  what: string;
}

/** Checks every item, then rejects all wrong ones together. */
function readItems(experience: Experience, items: readonly Item[], path: string): Basket {
  const basket: Basket = { variants: [], addOns: [] };
  // Add-ons are listed only when needed, because most baskets have none.
  const addOns = () => experience.ticket_variants.flatMap((variant) => variant.add_on_variants);
  const problems = items.flatMap((item, index): ItemProblem[] => {
    const { item_type, type_id, quantity } = item;
    const at = `${path}.${index}`;
    if (item_type === "VARIANT" && addTo(basket.variants, experience.ticket_variants, type_id, quantity)) return [];
    if (item_type === "ADDON" && addTo(basket.addOns, addOns(), type_id, quantity)) return [];
    return [
      item_type === "UNKNOWN" ? createUnbookableProblem(item, at) : createNotOfferedProblem(experience, item, at),
    ];
  });
  if (problems.length > 0) reject("INVALID_ITEM", problems);
  return basket;
}

function mustGoTogether(basket: Basket, variants: readonly Variant[], path: string): void {
  const alone = basket.addOns.filter(({ offer }) => !variants.some((variant) => canOffer(variant, offer.id)));
  const problems = alone.map(({ offer }) => ({
    path,
    what: `add-on ${offer.id} comes only with a ticket variant that is not in the basket.`,
  }));
  if (problems.length > 0) reject("INVALID_ITEM", problems);
}

/** Items with one entry per type, in the order of the request. */
export function getItems({ variants, addOns }: Basket): Item[] {
  return [
    ...variants.map(({ offer, quantity }) => createItem(offer.id, "VARIANT", quantity)),
    ...addOns.map(({ offer, quantity }) => createItem(offer.id, "ADDON", quantity)),
  ];
}

/** Merges items of one type in the order of their first mention and adds up their quantities. */
export function mergeItems(items: readonly Item[]): Item[] {
  const merged = new Map<string, Item>();
  for (const each of items) {
    const known = merged.get(each.type_id);
    // The items are copied, because those of the request must not change.
    merged.set(each.type_id, known ? { ...known, quantity: known.quantity + each.quantity } : { ...each });
  }
  return [...merged.values()];
}

export function createItem(type_id: string, item_type: "VARIANT" | "ADDON", quantity: number): Item {
  return { type_id, item_type, quantity };
}

/** Whether the add-on with this id comes with the variant. */
export function canOffer(variant: Variant, id: string): boolean {
  return variant.add_on_variants.some((addOn) => addOn.id === id);
}

/** Adds the quantity to the basket, and returns whether the type is offered. */
function addTo<O extends Offer>(lines: BasketLine<O>[], offered: readonly O[], id: string, quantity: number): boolean {
  const line = lines.find((known) => known.offer.id === id);
  const offer = offered.find((each) => each.id === id);
  // The same type twice in one request is one line.
  if (line) line.quantity += quantity;
  else if (offer) lines.push({ offer, quantity });
  return offer !== undefined;
}

function createUnbookableProblem({ item_type }: Item, at: string): ItemProblem {
  return { path: `${at}.item_type`, what: `${item_type} can't be booked; use VARIANT or ADDON.` };
}

/** A message lists at most this many offers. */
const MAX_LISTED_OFFERS = 20;

function createNotOfferedProblem(experience: Experience, item: Item, at: string): ItemProblem {
  return getOffers(experience).has(item.type_id)
    ? { path: `${at}.type_id`, what: `${item.type_id} is offered, but not as ${item.item_type}.` }
    : createUnknownOfferProblem(experience, item.type_id, at);
}

function createUnknownOfferProblem(experience: Experience, type_id: string, at: string): ItemProblem {
  const offered = [...getOffers(experience).keys()].slice(0, MAX_LISTED_OFFERS).join(", ") || "nothing";
  const what = `${type_id} is not offered for this event. ${experience.id} offers ${offered}.`;
  return { path: `${at}.type_id`, what };
}

/** Rejects discounts on types that the experience does not offer, because they would have no effect. */
export function mustDiscountOffers(experience: Experience, discounts: readonly { type_id?: string }[]): void {
  const problems = discounts.flatMap(({ type_id }, index) =>
    type_id === undefined || getOffers(experience).has(type_id)
      ? []
      : createUnknownOfferProblem(experience, type_id, `body.discounts.${index}`),
  );
  if (problems.length > 0) reject("INVALID_ITEM", problems);
}
