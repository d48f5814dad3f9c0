// How a basket is spread over tickets: one per unit of a variant, add-ons over them in order. Heading "Ticket"; assumption: tickets.
import { type Basket, item, itemsOf, offers } from "./basket.ts";
import type { Desk } from "./desk.ts";
import { sum } from "./money.ts";
import type { Experience, Item } from "./records.ts";

/** What stands on one ticket, and the seats it takes. */
export interface Sheet {
  items: Item[];
  seats: number;
}

/** The tickets of a basket, each with what stands on it. */
export function sheetsOf(desk: Desk, basket: Basket): Sheet[] {
  if (desk.assumes("tickets") === "per-booking") {
    return [
      { items: itemsOf(basket), seats: sum(basket.variants.map(({ offer, quantity }) => offer.seats * quantity)) },
    ];
  }
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
  return tickets.map(({ variant, items }) => ({ items, seats: variant.seats }));
}

/** These items as one ticket. */
export function sheetOf(experience: Experience, items: Item[]): Sheet {
  const seatsOf = (id: string) => experience.ticket_variants.find((variant) => variant.id === id)?.seats ?? 0;
  return { items, seats: sum(items.map(({ type_id, quantity }) => seatsOf(type_id) * quantity)) };
}
