// How a basket is spread over tickets: one per unit of a variant, add-ons over them in order. Heading "Ticket"; assumption: tickets.
import { type Basket, item, itemsOf, offers } from "./basket.ts";
import type { Desk } from "./desk.ts";
import type { Experience, Item } from "./records.ts";
import { type Hold, holdNow, holdOf } from "./sold.ts";

/** What stands on one ticket, and what it takes. */
export interface Sheet extends Hold {
  items: Item[];
}

/** The tickets of a basket, each with what stands on it. */
export function sheetsOf(desk: Desk, basket: Basket): Sheet[] {
  const offered = new Map([...basket.variants, ...basket.addOns].map(({ offer }) => [offer.id, offer]));
  const sheet = (items: Item[]): Sheet => ({ items, ...holdOf(items, (id) => offered.get(id)) });
  if (desk.assumes("tickets") === "per-booking") return [sheet(itemsOf(basket))];
  const tickets = basket.variants.flatMap(({ offer, quantity }) =>
    Array.from({ length: quantity }, () => ({ variant: offer, items: [item(offer.id, "VARIANT", 1)] })),
  );
  for (const { offer, quantity } of basket.addOns) {
    const takers = tickets.filter(({ variant }) => offers(variant, offer.id));
    takers.forEach(({ items }, index) => {
      const units = Math.floor(quantity / takers.length) + (index < quantity % takers.length ? 1 : 0);
      if (units > 0) items.push(item(offer.id, "ADDON", units));
    });
  }
  return tickets.map(({ items }) => sheet(items));
}

/** These items as one ticket. */
export function sheetOf(experience: Experience, items: Item[]): Sheet {
  return { items, ...holdNow(experience, items) };
}
