// How a basket is spread over tickets: one per unit of a variant, add-ons over them in order. Heading "Ticket"; assumption: tickets.

import { type Hold, holdNow, holdOf } from "../event/sold.ts";
import type { Experience, Item, Variant } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { type Basket, canOffer, getItems, item, toOffers } from "./basket.ts";

/** What stands on one ticket, and what it takes. */
export interface PlannedTicket extends Hold {
  items: Item[];
}

/** The tickets of a basket, each with what stands on it. */
export function planTickets(tx: Transaction, basket: Basket): PlannedTicket[] {
  const offered = toOffers(basket);
  const plan = (items: Item[]): PlannedTicket => ({ items, ...holdOf(items, (id) => offered.get(id)) });
  if (tx.assumes("tickets") === "per-booking") return [plan(getItems(basket))];
  const tickets: { variant: Variant; items: Item[] }[] = [];
  for (const { offer, quantity } of basket.variants)
    for (let unit = 0; unit < quantity; unit++) tickets.push({ variant: offer, items: [item(offer.id, "VARIANT", 1)] });
  for (const { offer, quantity } of basket.addOns) {
    const takers = tickets.filter(({ variant }) => canOffer(variant, offer.id));
    takers.forEach(({ items }, index) => {
      const units = Math.floor(quantity / takers.length) + (index < quantity % takers.length ? 1 : 0);
      if (units > 0) items.push(item(offer.id, "ADDON", units));
    });
  }
  return tickets.map(({ items }) => plan(items));
}

/** These items as one ticket. */
export function planTicket(experience: Experience, items: Item[]): PlannedTicket {
  return { items, ...holdNow(experience, items) };
}
