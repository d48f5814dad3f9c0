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
  const sheet = sheetIn(basket);
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

/** Tickets that are there already, with what each takes as the basket has it. */
export const sheetsWith = (basket: Basket, tickets: readonly { items: Item[] }[]): Sheet[] =>
  tickets.map(({ items }) => items).map(sheetIn(basket));

function sheetIn({ variants, addOns }: Basket): (items: Item[]) => Sheet {
  const offered = new Map([...variants, ...addOns].map(({ offer }) => [offer.id, offer]));
  return (items) => ({ items, ...holdOf(items, (id) => offered.get(id)) });
}

/** These items as one ticket. */
export function sheetOf(experience: Experience, items: Item[]): Sheet {
  return { items, ...holdNow(experience, items) };
}
